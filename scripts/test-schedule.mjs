// The order in which test processes run: longest first, so that all cores are busy until the end.

/**
 * Chooses the next job, or undefined if none can start before a running one ends. A job is `{ lane, seconds, … }`; lanes
 * are as in LANES. A file without a recorded duration has that of its lane.
 */
export function chooseNext({ waiting, running, lanes, slots, memoryGb }) {
  if (running.length >= slots) return undefined;
  const usedGb = running.reduce((sum, { lane }) => sum + lanes[lane].memoryGb, 0);
  const canStart = ({ lane }) =>
    (lanes[lane].parallel || !running.some((job) => job.lane === lane)) &&
    (running.length === 0 || usedGb + lanes[lane].memoryGb <= memoryGb);
  const secondsOf = ({ lane, seconds }) => (Number.isFinite(seconds) ? seconds : lanes[lane].fileSeconds);
  // The files of a lane that is not parallel are one chain: it takes as long as all of them.
  const chainSeconds = ({ lane }) =>
    waiting.filter((job) => job.lane === lane).reduce((sum, job) => sum + secondsOf(job), 0);
  const urgency = (job) => (lanes[job.lane].parallel ? secondsOf(job) : chainSeconds(job));
  return waiting
    .filter(canStart)
    .sort((a, b) => urgency(b) - urgency(a) || secondsOf(b) - secondsOf(a))
    .at(0);
}

/** Runs all jobs with `run(job)`, and calls `onResult(result, done)` after each. A result has its `job`. */
export async function runInOrder({ jobs, run, onResult, ...limits }) {
  const waiting = [...jobs];
  const running = new Map();
  const results = [];
  while (waiting.length + running.size > 0) {
    const next = chooseNext({ waiting, running: [...running.keys()], ...limits });
    if (next !== undefined) {
      waiting.splice(waiting.indexOf(next), 1);
      running.set(next, run(next));
      continue;
    }
    const result = await Promise.race(running.values());
    running.delete(result.job);
    results.push(result);
    onResult(result, results.length);
  }
  return results;
}

/** Deals files out to processes so that each gets as many. */
export function dealOut(files, processes) {
  const count = Math.min(processes, files.length);
  return Array.from({ length: count }, (_, index) => files.filter((_file, at) => at % count === index));
}

/**
 * The files of a job that a second run needs: those with a failed test. All of them if a failed test was declared in
 * another file, or if the process ended early.
 */
export function filesToRetry(files, failedFiles) {
  const stem = (path) =>
    path
      .split(/[/\\]/)
      .at(-1)
      .replace(/\.[cm]?[jt]s$/, '');
  const failed = new Set(failedFiles.map(stem));
  const found = files.filter((file) => failed.has(stem(file)));
  return found.length === 0 || failed.size !== new Set(found.map(stem)).size ? [...files] : found;
}
