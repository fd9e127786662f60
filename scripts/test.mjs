// `npm test`: sets up what is missing, fetches the models the tests speak with, and runs all tests on
// Node's own runner. `npm test -- speech` runs only the files whose path contains "speech", and
// `npm test -- --unit` only the pure ones, which need no model and no process of their own.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DIST, SDK_DIST, setUp } from './setup.mjs';

/** What the tests with real engines speak and hear with. */
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

await setUp();
const isUnitOnly = process.argv.includes('--unit');
const wanted = process.argv.slice(2).filter((part) => part !== '--unit');
const isWanted = (file) => wanted.length === 0 || wanted.some((part) => file.includes(part));
const files = [DIST, SDK_DIST]
  .flatMap((folder) => readdirSync(folder, { recursive: true }).map((file) => join(folder, file)))
  .filter((file) => isWanted(file));
const isInTestFolder = (file) => file.startsWith(join(DIST, 'test'));
const unitTests = files.filter((file) => file.endsWith('.test.js') && !isInTestFolder(file));
const processTests = files.filter(
  (file) =>
    !isUnitOnly && (file.endsWith('.engine-test.js') || (file.endsWith('.test.js') && isInTestFolder(file))),
);
if (unitTests.length + processTests.length === 0) {
  console.error(`No test file matches: ${wanted.join(' ')}`);
  process.exit(1);
}

if (processTests.length > 0) {
  const pull = spawnSync(process.execPath, [join(DIST, 'src/cli/main.js'), 'models', 'pull', ...MODELS], {
    stdio: 'inherit',
  });
  if (pull.status !== 0) process.exit(pull.status ?? 1);
}

const scratch = mkdtempSync(join(tmpdir(), 'mynah-test-'));
try {
  // Pure code shares one process: starting one for each of so many small files would take most of the time.
  const unit = join(scratch, 'unit.mjs');
  writeFileSync(
    unit,
    unitTests.map((file) => `import ${JSON.stringify(pathToFileURL(file).href)};\n`).join(''),
  );
  const entries = [...(unitTests.length > 0 ? [unit] : []), ...processTests.sort()];
  const run = spawnSync(
    process.execPath,
    ['--enable-source-maps', '--test', '--test-concurrency=1', '--test-reporter=spec', ...entries],
    { stdio: 'inherit', env: { ...process.env, MYNAH_LOG_LEVEL: process.env.MYNAH_LOG_LEVEL ?? 'warn' } },
  );
  process.exitCode = run.status ?? 1;
} finally {
  rmSync(scratch, { recursive: true });
}
