// `npm test`: sets up what is missing, fetches the models that tests use, and runs all tests on Node's own runner.
//
//   npm test                        all lanes, side by side
//   npm test -- speech              only files whose path contains "speech"
//   npm test -- --lane unit,http    only these lanes (scripts/test-lanes.mjs)
//   npm test -- --jobs 1            one process at a time
//   npm test -- --verbose           the report of every file, not only of those that fail
//   npm test -- --retry-failed      a file that fails runs once more, alone; it is listed as flaky if it then passes
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { DIST, ROOT, SDK_DIST, setUp } from './setup.mjs';
import { LANES, laneOf } from './test-lanes.mjs';

const MODELS = [
  'kokoro-82m-q8',
  'kokoro-voices',
  'lexicon-en-us',
  'piper-libritts-r-medium',
  'dictionary-ja',
  'silero-vad',
  'moonshine-base',
  'whisper-base',
  'voice-print',
];
/** A file that runs longer than this hangs. The soak lane of CI takes about a quarter of it. */
const FILE_TIMEOUT_MS = 20 * 60_000;
const SLOWEST_SHOWN = 20;

const { values, positionals: filters } = parseArgs({
  allowPositionals: true,
  options: {
    lane: { type: 'string' },
    unit: { type: 'boolean' }, // An older spelling of `--lane unit`.
    jobs: { type: 'string', default: String(Math.min(4, availableParallelism())) },
    verbose: { type: 'boolean', default: false },
    'retry-failed': { type: 'boolean', default: false },
  },
});
const chosenLanes = values.unit ? ['unit'] : (values.lane?.split(',') ?? Object.keys(LANES));
const unknownLane = chosenLanes.find((lane) => !(lane in LANES));
if (unknownLane !== undefined) {
  fail(`There is no lane "${unknownLane}". Lanes: ${Object.keys(LANES).join(', ')}.`);
}

await setUp();
const scratch = mkdtempSync(join(tmpdir(), 'mynah-test-'));
try {
  const jobs = findJobs();
  if (jobs.length === 0) fail(`No test file matches: ${filters.join(' ')}`);
  if (jobs.some(({ lane }) => LANES[lane].needsModels)) pullModels();
  report(await runAll(jobs, Number(values.jobs)));
} finally {
  rmSync(scratch, { recursive: true });
}

/** One job per test file; the unit tests together are one job, because so many processes would take longer than the tests. */
function findJobs() {
  const files = [DIST, SDK_DIST, join(ROOT, 'console', 'test')]
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((file) => join(folder, file)))
    .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)))
    .sort();
  const jobs = files
    .map((file) => ({ lane: laneOf(file, DIST), file, name: relative(ROOT, file).replace('/dist/', '/') }))
    .filter(({ lane }) => lane !== undefined && chosenLanes.includes(lane));
  const unit = jobs.filter(({ lane }) => lane === 'unit');
  const others = jobs.filter(({ lane }) => lane !== 'unit');
  if (unit.length === 0) return others;
  const entry = join(scratch, 'unit.mjs');
  writeFileSync(
    entry,
    unit.map(({ file }) => `import ${JSON.stringify(pathToFileURL(file).href)};\n`).join(''),
  );
  return [{ lane: 'unit', file: entry, name: `${unit.length} unit test files` }, ...others];
}

function pullModels() {
  const cli = join(DIST, 'src/cli/main.js');
  const { status } = spawnSync(process.execPath, [cli, 'models', 'pull', ...MODELS], {
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) process.exit(status ?? 1);
}

/** Runs jobs until none is left: at most `slots` at a time, and one of each lane that is not parallel. */
async function runAll(jobs, slots) {
  const waiting = [...jobs];
  const running = new Map();
  const results = [];
  const start = Date.now();
  while (waiting.length + running.size > 0) {
    const isFree = ({ lane }) =>
      LANES[lane].parallel || ![...running.keys()].some((job) => job.lane === lane);
    // The unit tests are one long job; after them, the lane with the most files left goes first. So no long job is left
    // for the end.
    const urgency = ({ lane }) => (lane === 'unit' ? Number.POSITIVE_INFINITY : countOf(waiting, lane));
    const next = waiting.filter(isFree).sort((a, b) => urgency(b) - urgency(a))[0];
    if (next !== undefined && running.size < slots) {
      waiting.splice(waiting.indexOf(next), 1);
      running.set(next, runFile(next));
      continue;
    }
    const result = await Promise.race(running.values());
    running.delete(result.job);
    results.push(result);
    printResult(result, results.length, jobs.length);
  }
  const flaky = values['retry-failed'] ? await retryFailed(results) : [];
  return { results, flaky, seconds: (Date.now() - start) / 1000 };
}

/** Runs failed files again, one at a time. Replaces the result of those that pass, and returns their names. */
async function retryFailed(results) {
  const flaky = [];
  for (const [index, { job, isPassed }] of results.entries()) {
    if (isPassed) continue;
    const second = await runFile(job);
    printResult(second, index + 1, results.length);
    results[index] = second;
    if (second.isPassed) flaky.push(job.name);
  }
  return flaky;
}

function countOf(jobs, lane) {
  return jobs.filter((job) => job.lane === lane).length;
}

function runFile(job) {
  const countsFile = join(scratch, `${job.name.replaceAll(/[^a-z0-9]/gi, '_')}.json`);
  const reporter = pathToFileURL(join(ROOT, 'scripts/test-reporter.mjs')).href;
  const args = [
    ...['--enable-source-maps', '--test-reporter=spec', '--test-reporter-destination=stdout'],
    ...[`--test-reporter=${reporter}`, `--test-reporter-destination=${countsFile}`],
    job.file,
  ];
  const start = Date.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: FILE_TIMEOUT_MS,
      killSignal: 'SIGKILL',
      env: { ...process.env, MYNAH_LOG_LEVEL: process.env.MYNAH_LOG_LEVEL ?? 'warn' },
    });
    const output = [];
    child.stdout.on('data', (chunk) => output.push(chunk));
    child.stderr.on('data', (chunk) => output.push(chunk));
    child.on('close', (code, signal) =>
      resolve({
        job,
        isPassed: code === 0,
        end: signal ?? `exit status ${code}`,
        counts: readCounts(countsFile),
        seconds: (Date.now() - start) / 1000,
        output: Buffer.concat(output).toString('utf8'),
      }),
    );
  });
}

function readCounts(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return { passed: 0, failed: 1, skipped: 0 }; // The process ended before its runner did.
  }
}

function printResult({ job, isPassed, end, counts, seconds, output }, done, total) {
  const what = `${job.lane.padEnd(7)} ${job.name}  ${counts.passed} tests, ${seconds.toFixed(1)} s`;
  console.log(`${isPassed ? '✔' : '✖'} [${done}/${total}] ${what}${isPassed ? '' : ` (${end})`}`);
  if (!isPassed || values.verbose) console.log(output.replaceAll(/^/gm, '    '));
}

function report({ results, flaky, seconds }) {
  const sum = (key) => results.reduce((total, { counts }) => total + counts[key], 0);
  const slowest = results.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST_SHOWN);
  console.log(`\nSlowest files:`);
  for (const result of slowest) console.log(`${result.seconds.toFixed(1).padStart(8)} s  ${result.job.name}`);
  console.log(`\nLanes:`);
  for (const lane of Object.keys(LANES)) {
    const own = results.filter(({ job }) => job.lane === lane);
    if (own.length === 0) continue;
    const laneSeconds = own.reduce((total, result) => total + result.seconds, 0);
    console.log(`${laneSeconds.toFixed(1).padStart(8)} s  ${lane}: ${LANES[lane].about}`);
  }
  const broken = results.filter(({ isPassed }) => !isPassed);
  for (const { job } of broken) console.log(`\n✖ ${job.name}`);
  for (const name of flaky) console.log(`\nFLAKY (failed once, passed alone): ${name}`);
  // A process can fail without a failed test, by an error outside of any.
  const failed = Math.max(sum('failed'), broken.length);
  console.log(`\n${results.length} files in ${seconds.toFixed(0)} s, Node ${process.versions.node}`);
  console.log(`${sum('passed')} passed, ${failed} failed, ${sum('skipped')} skipped`);
  process.exitCode = failed > 0 ? 1 : 0;
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
