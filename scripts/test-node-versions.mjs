// Runs the unit and HTTP lanes on every supported major version of Node but the one that runs this script. The
// binaries come from the npm packages `node-PLATFORM-ARCH` and are kept in ~/.cache/mynah/test-nodes.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { ROOT } from './setup.mjs';

const MAJORS = [20, 22, 24];
const LANES = 'unit,http';
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'mynah/test-nodes');

const current = Number(process.versions.node.split('.')[0]);
for (const major of MAJORS.filter((candidate) => candidate !== current)) {
  const node = fetchNode(major);
  const path = [dirname(node), process.env.PATH].join(delimiter);
  run(node, [join(ROOT, 'scripts/test.mjs'), '--lane', LANES, '--retry-failed'], {
    cwd: ROOT,
    env: { ...process.env, PATH: path },
  });
}

/** The binary of a major version, fetched when it is missing. */
function fetchNode(major) {
  const folder = join(CACHE, String(major));
  const node = join(folder, 'package/bin/node');
  if (existsSync(node)) return node;
  mkdirSync(CACHE, { recursive: true });
  const scratch = mkdtempSync(join(CACHE, 'fetch-'));
  run('npm', ['pack', '--silent', `node-${process.platform}-${process.arch}@${major}`], { cwd: scratch });
  run('sh', ['-c', 'tar -xzf *.tgz && rm *.tgz'], { cwd: scratch });
  rmSync(folder, { recursive: true, force: true });
  renameSync(scratch, folder);
  return node;
}

function run(command, args, options) {
  const { status } = spawnSync(command, args, { stdio: 'inherit', ...options });
  if (status !== 0) process.exit(status ?? 1);
}
