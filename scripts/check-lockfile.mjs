// Fails when package-lock.json does not fit the package.json files, or names a registry's host.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
if (/"resolved": "https?:/.test(lock)) {
  fail(
    'package-lock.json names where packages were downloaded from; install with the .npmrc of this repository.',
  );
}
const scratch = mkdtempSync(join(tmpdir(), 'mynah-lock-'));
try {
  const packages = ['server', 'sdk/typescript', 'console'].map((folder) => `${folder}/package.json`);
  for (const file of ['package.json', 'package-lock.json', '.npmrc', ...packages]) {
    cpSync(join(root, file), join(scratch, file), { recursive: true });
  }
  // npm ci compares every range with the lockfile before it does anything else.
  execFileSync('npm', ['ci', '--dry-run', '--prefer-offline'], { cwd: scratch, stdio: 'pipe' });
} catch (error) {
  fail(`package-lock.json is not current; run \`npm install\`.\n${error.stderr ?? error}`);
} finally {
  rmSync(scratch, { recursive: true });
}
console.log('package-lock.json is current');

function fail(message) {
  console.error(message);
  process.exit(1);
}
