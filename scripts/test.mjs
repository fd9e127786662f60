// `npm test`: sets up what is missing, fetches the models that tests use, and runs all tests on Node's own runner.
//
//   npm test                        all lanes, side by side
//   npm test -- speech              only files whose path contains "speech"
//   npm test -- --lane unit,http    only these lanes (scripts/test-lanes.mjs)
//   npm test -- --set node-versions only this selection (scripts/test-lanes.mjs)
//   npm test -- --jobs 1            one process at a time
//   npm test -- --verbose           the report of every file, not only of those that fail
//   npm test -- --retry-failed      a file that fails runs once more, alone; it is listed as flaky if it then passes
//   npm test -- --record            keeps the duration of each file, by which later runs are ordered
//   npm test -- --no-setup          does not install or build
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { DIST, ROOT, SDK_DIST, setUp } from './setup.mjs';
import { GROUPS, groupOf, LANES, laneOf, SETS } from './test-lanes.mjs';
import { dealOut, filesToRetry, runInOrder } from './test-schedule.mjs';
import { createChildFolder, createTemporaryFolder, removeFolder } from './test-temporary.mjs';

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
/** On the hub and in the Python package index only, which not every machine reaches: its tests are skipped without it. */
const OPTIONAL_MODELS = ['ecapa-tdnn'];
/** A process that runs longer than this hangs: the slowest takes a minute or two, on a slow machine five times as much. */
const PROCESS_TIMEOUT_MS = 15 * 60_000;
const SLOWEST_SHOWN = 20;
/** Processes beyond the cores: tests wait for timers, child processes and the browser for almost half of their time, but more processes than this take longer. */
const EXTRA_JOBS = 1;
/** Part of the memory that tests may use. */
const MEMORY_SHARE = 0.8;
/** Durations of slow files in seconds, from `--record`. They decide the order only. */
const DURATIONS = join(ROOT, 'scripts', 'test-durations.json');
const RECORDED_SECONDS_MIN = 5;

const { values, positionals: filters } = parseArgs({
  allowPositionals: true,
  options: {
    lane: { type: 'string' },
    set: { type: 'string' },
    unit: { type: 'boolean' }, // An older spelling of `--lane unit`.
    jobs: { type: 'string', default: String(Math.min(4, availableParallelism()) + EXTRA_JOBS) },
    verbose: { type: 'boolean', default: false },
    'retry-failed': { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    'no-setup': { type: 'boolean', default: false },
  },
});
const isChosen = createSelection();

if (!values['no-setup']) await setUp();
const temporary = createTemporaryFolder();
let started = 0;
const processGroups = new Set();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, stop);
try {
  const jobs = findJobs();
  if (jobs.length === 0) fail(`No test file matches: ${filters.join(' ')}`);
  if (jobs.some(({ lane }) => LANES[lane].needsModels)) pullModels();
  report(await runAll(jobs));
} finally {
  removeFolder(temporary);
}

/** A function that says whether a file of a lane was asked for. */
function createSelection() {
  const set = SETS[values.set];
  if (values.set !== undefined && set === undefined) {
    fail(`There is no set "${values.set}". Sets: ${Object.keys(SETS).join(', ')}.`);
  }
  const lanes = values.unit ? ['unit'] : (values.lane?.split(',') ?? Object.keys(LANES));
  const unknownLane = lanes.find((lane) => !(lane in LANES));
  if (unknownLane !== undefined) {
    fail(`There is no lane "${unknownLane}". Lanes: ${Object.keys(LANES).join(', ')}.`);
  }
  return (lane, file) =>
    lanes.includes(lane) &&
    (filters.length === 0 || filters.some((filter) => file.includes(filter))) &&
    (set === undefined || isInSet(set, lane, relative(DIST, file)));
}

function isInSet({ lanes, exceptFolders, files }, lane, path) {
  if (files.includes(path)) return true;
  return lanes.includes(lane) && !exceptFolders.some((folder) => path.startsWith(folder));
}

/** One job per test file, but a few jobs of many files for the groups that share processes. */
function findJobs() {
  const durations = JSON.parse(readFileSync(DURATIONS, 'utf8'));
  const files = [DIST, SDK_DIST, join(ROOT, 'console', 'test')]
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((file) => join(folder, file)))
    .sort();
  const missing = SETS[values.set]?.files.find((file) => !files.includes(join(DIST, file)));
  if (missing !== undefined) fail(`The set "${values.set}" names a file that does not exist: ${missing}`);
  const chosen = files
    .map((file) => ({ lane: laneOf(file, DIST), file }))
    .filter(({ lane, file }) => lane !== undefined && hasSource(file) && isChosen(lane, file));
  const shared = Object.entries(GROUPS).flatMap(([group, processes]) => {
    const own = chosen.filter((job) => groupOf(job) === group);
    const parts = dealOut(
      own.map(({ file }) => file),
      processes,
    );
    return parts.map((some, index) => ({
      lane: own[0].lane,
      group,
      files: some,
      name: `${group} tests, part ${index + 1} of ${parts.length} (${some.length} files)`,
      seconds: durations[group] / parts.length,
    }));
  });
  const alone = chosen
    .filter((job) => groupOf(job) === undefined)
    .map(({ lane, file }) => ({ lane, files: [file], name: nameOf(file), seconds: durations[nameOf(file)] }));
  return [...shared, ...alone];
}

/** False for a compiled file whose source was moved or deleted: the compiler leaves it in place. */
function hasSource(file) {
  const source = file.replace(/\.js$/, '.ts');
  return existsSync(
    source.replace(DIST, join(ROOT, 'server')).replace(SDK_DIST, join(ROOT, 'sdk/typescript/src')),
  );
}

function nameOf(file) {
  return relative(ROOT, file).replace('/dist/', '/');
}

function pullModels() {
  const status = pull(MODELS);
  if (status !== 0) process.exit(status ?? 1);
  pull(OPTIONAL_MODELS);
}

function pull(models) {
  const cli = join(DIST, 'bundle/cli.js');
  return spawnSync(process.execPath, [cli, 'models', 'pull', ...models], { stdio: ['ignore', 2, 2] }).status;
}

async function runAll(jobs) {
  const start = Date.now();
  const memoryGb = (MEMORY_SHARE * Math.min(totalmem(), process.constrainedMemory() || Infinity)) / 1e9;
  const results = await runInOrder({
    jobs,
    lanes: LANES,
    slots: Number(values.jobs),
    memoryGb,
    run: runJob,
    onResult: (result, done) => printResult(result, `${done}/${jobs.length}`),
  });
  const flaky = values['retry-failed'] ? await retryFailed(results) : [];
  return { results, flaky, seconds: (Date.now() - start) / 1000 };
}

/** Runs failed files again, one at a time. Updates the results of those that pass, and returns their names. */
async function retryFailed(results) {
  const flaky = [];
  for (const result of results.filter(({ isPassed }) => !isPassed)) {
    const again = [];
    for (const file of filesToRetry(result.job.files, result.counts.failedFiles)) {
      const second = await runJob({ ...result.job, files: [file], name: nameOf(file) });
      printResult(second, 'again');
      again.push(second);
    }
    result.isPassed = again.every(({ isPassed }) => isPassed);
    const failed = again.reduce((sum, { counts }) => sum + counts.failed, 0);
    result.counts.passed += Math.max(0, result.counts.failed - failed);
    result.counts.failed = failed;
    if (result.isPassed) flaky.push(...again.map(({ job }) => job.name));
  }
  return flaky;
}

function runJob(job) {
  const folder = createChildFolder(temporary, String(++started));
  const countsFile = join(folder, 'counts.json');
  const entry = join(folder, 'entry.mjs');
  // A suite per file: its hooks are its own, and its duration is reported. No module of a group may
  // use top-level await: what follows it could be declared in another suite, or after the end of its own.
  const suites = job.files.map((file) => {
    const [name, url] = [nameOf(file), pathToFileURL(file).href].map((text) => JSON.stringify(text));
    return `describe(${name}, async () => { await import(${url}); });\n`;
  });
  writeFileSync(entry, `import { describe } from 'node:test';\n${suites.join('')}`);
  const reporter = pathToFileURL(join(ROOT, 'scripts/test-reporter.mjs')).href;
  const exceptions = pathToFileURL(join(ROOT, 'scripts/cluster-lane/skip-exceptions.mjs')).href;
  const args = [
    ...(process.env.MYNAH_TEST_CLUSTER && job.lane === 'http' ? ['--import', exceptions] : []),
    ...['--enable-source-maps', '--test-reporter=spec', '--test-reporter-destination=stdout'],
    ...[`--test-reporter=${reporter}`, `--test-reporter-destination=${countsFile}`],
    job.files.length === 1 ? job.files[0] : entry,
  ];
  const start = Date.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // A process group of its own, so that nothing it has started remains.
      env: {
        ...process.env,
        TMPDIR: folder,
        MYNAH_LOG_LEVEL: process.env.MYNAH_LOG_LEVEL ?? 'warn',
      },
    });
    processGroups.add(child.pid);
    const timeout = setTimeout(() => killGroup(child.pid), PROCESS_TIMEOUT_MS);
    const output = [];
    child.stdout.on('data', (chunk) => output.push(chunk));
    child.stderr.on('data', (chunk) => output.push(chunk));
    child.on('exit', () => {
      clearTimeout(timeout);
      killGroup(child.pid);
    });
    child.on('close', (code, signal) => {
      processGroups.delete(child.pid);
      const counts = readCounts(countsFile);
      removeFolder(folder);
      resolve({
        job,
        isPassed: code === 0,
        end: signal ?? `exit status ${code}`,
        counts,
        seconds: (Date.now() - start) / 1000,
        output: Buffer.concat(output).toString('utf8'),
      });
    });
  });
}

function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing is left of it.
  }
}

function stop() {
  for (const pid of processGroups) killGroup(pid);
  removeFolder(temporary);
  process.exit(130);
}

function readCounts(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return { passed: 0, failed: 1, skipped: 0, failedFiles: [], cpuSeconds: 0 }; // The process ended before its runner did.
  }
}

function printResult({ job, isPassed, end, counts, seconds, output }, progress) {
  const times = `${seconds.toFixed(1)} s (CPU ${counts.cpuSeconds.toFixed(1)} s)`;
  const what = `${job.lane.padEnd(7)} ${job.name}  ${counts.passed} tests, ${times}`;
  console.log(`${isPassed ? '✔' : '✖'} [${progress}] ${what}${isPassed ? '' : ` (${end})`}`);
  if (!isPassed || values.verbose) console.log(output.replaceAll(/^/gm, '    '));
}

function report({ results, flaky, seconds }) {
  const sum = (key) => results.reduce((total, { counts }) => total + counts[key], 0);
  const files = results.flatMap(({ job, seconds: jobSeconds, counts }) =>
    job.files.length === 1
      ? [{ name: job.name, seconds: jobSeconds, cpuSeconds: counts.cpuSeconds }]
      : (counts.files ?? []),
  );
  const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST_SHOWN);
  console.log(`\nSlowest files, and their CPU time:`);
  for (const file of slowest) console.log(`${columns(file.seconds, file.cpuSeconds)}  ${file.name}`);
  console.log(`\nLanes, and their CPU time:`);
  for (const lane of Object.keys(LANES)) {
    const own = results.filter(({ job }) => job.lane === lane);
    if (own.length === 0) continue;
    console.log(`${columns(secondsOf(own), cpuSecondsOf(own))}  ${lane}: ${LANES[lane].about}`);
  }
  if (values.record) recordDurations(results);
  const broken = results.filter(({ isPassed }) => !isPassed);
  for (const { job } of broken) console.log(`\n✖ ${job.name}`);
  for (const name of flaky) console.log(`\nFLAKY (failed once, passed alone): ${name}`);
  // A process can fail without a failed test, by an error outside of any.
  const failed = Math.max(sum('failed'), broken.length);
  const fileCount = results.flatMap(({ job }) => job.files).length;
  const cpu = `${cpuSecondsOf(results).toFixed(0)} s of CPU time`;
  console.log(`\n${fileCount} files in ${seconds.toFixed(0)} s (${cpu}), Node ${process.versions.node}`);
  console.log(`${sum('passed')} passed, ${failed} failed, ${sum('skipped')} skipped`);
  process.exitCode = failed > 0 ? 1 : 0;
}

function columns(...times) {
  return times.map((time) => `${time.toFixed(1).padStart(8)} s`).join('');
}

function secondsOf(results) {
  return results.reduce((total, { seconds }) => total + seconds, 0);
}

function cpuSecondsOf(results) {
  return results.reduce((total, { counts }) => total + counts.cpuSeconds, 0);
}

/** Replaces the durations of the files that ran. */
function recordDurations(results) {
  const durations = JSON.parse(readFileSync(DURATIONS, 'utf8'));
  for (const group of Object.keys(GROUPS)) {
    const own = results.filter(({ job }) => job.group === group);
    if (own.length > 0) durations[group] = Math.round(secondsOf(own));
  }
  for (const { job, seconds } of results.filter(({ job: { group } }) => group === undefined)) {
    delete durations[job.name];
    if (seconds >= RECORDED_SECONDS_MIN) durations[job.name] = Math.round(seconds);
  }
  const sorted = Object.fromEntries(Object.entries(durations).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(DURATIONS, `${JSON.stringify(sorted, null, 2)}\n`);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
