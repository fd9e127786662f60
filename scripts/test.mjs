// `npm test`: sets up what is missing, fetches the models the tests speak with, and runs all tests on
// Node's own runner. `npm test -- speech` runs only the files whose path contains "speech", and
// `npm test -- --unit` only the pure ones, which need no model and no process of their own.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setUp } from './setup.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'server', 'dist');
/** Voices and engines that the tests with real engines speak with. */
const MODELS = [
  'kokoro-82m-q8',
  'kokoro-voices',
  'lexicon-en-us',
  'piper-libritts-r-medium',
  'dictionary-ja',
];

await setUp();
const isUnitOnly = process.argv.includes('--unit');
const wanted = process.argv.slice(2).filter((part) => part !== '--unit');
const isWanted = (file) => wanted.length === 0 || wanted.some((part) => file.includes(part));
const files = readdirSync(dist, { recursive: true })
  .map((file) => join(dist, file))
  .filter((file) => isWanted(file));
const unitTests = files.filter((file) => file.includes('/src/') && file.endsWith('.test.js'));
const processTests = files.filter(
  (file) =>
    !isUnitOnly &&
    (file.endsWith('.engine-test.js') || (file.includes('/dist/test/') && file.endsWith('.test.js'))),
);
if (unitTests.length + processTests.length === 0) {
  console.error(`No test file matches: ${wanted.join(' ')}`);
  process.exit(1);
}

if (processTests.length > 0) {
  const pull = spawnSync(process.execPath, [join(dist, 'src/cli/main.js'), 'models', 'pull', ...MODELS], {
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
