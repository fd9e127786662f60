// Runs the set `node-versions` (scripts/test-lanes.mjs) on every supported major version of Node but the one that runs
// this script, all versions at the same time. The binaries come from the npm packages `node-PLATFORM-ARCH` and are kept
// in ~/.cache/mynah/test-nodes.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { availableParallelism, homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { ROOT, setUp } from './setup.mjs';

const MAJORS = [20, 22, 24];
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'mynah/test-nodes');

await setUp();
const current = Number(process.versions.node.split('.')[0]);
const others = MAJORS.filter((major) => major !== current).map((major) => ({
  major,
  node: fetchNode(major),
}));
const jobs = Math.max(1, Math.floor(availableParallelism() / others.length));
const passed = await Promise.all(others.map(runTests));
process.exitCode = passed.every(Boolean) ? 0 : 1;

/** Runs the tests on one version and prints their output at the end. True if all pass. */
function runTests({ major, node }) {
  const args = [join(ROOT, 'scripts/test.mjs'), '--set', 'node-versions', '--no-setup', '--retry-failed'];
  const path = [dirname(node), process.env.PATH].join(delimiter);
  const child = spawn(node, [...args, '--jobs', String(jobs)], {
    cwd: ROOT,
    env: { ...process.env, PATH: path },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  console.log(`Node ${major}: started`);
  const output = [];
  child.stdout.on('data', (chunk) => output.push(chunk));
  child.stderr.on('data', (chunk) => output.push(chunk));
  return new Promise((resolve) => {
    child.on('error', (error) => output.push(Buffer.from(`${error.message}\n`)));
    child.on('close', (code) => {
      console.log(`\nNode ${major}:\n${Buffer.concat(output).toString('utf8')}`);
      resolve(code === 0);
    });
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
