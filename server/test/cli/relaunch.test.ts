import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { SERVER_V8_FLAGS, supportedV8Flags } from '../../src/concurrency/v8-flags.ts';
import { PACKAGE_ROOT } from '../../src/config/package-info.ts';

const RELAUNCH = new URL('../scripts/relaunch.mjs', PACKAGE_ROOT).href;
const EXIT_STATUS = 7;
const WAIT_MS = 20_000;

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mynah-relaunch-'));
});
after(() => rm(folder, { recursive: true }));

/** Starts a script that relaunches itself with a flag, runs `setUp`, prints a line with `ready`, and runs `body`. */
async function start(
  body: string,
  setUp = '',
): Promise<{ launcher: ChildProcess; childPid: number; output: string[] }> {
  const path = join(folder, `${Math.random()}.mjs`);
  await writeFile(
    path,
    `import { relaunchWithFlags } from ${JSON.stringify(RELAUNCH)};
    await relaunchWithFlags(['--max-semi-space-size=2']);
    ${setUp}
    console.log('ready ' + process.pid + ' ' + process.execArgv.join(' ') + ' ' + process.argv.slice(2).join(' '));
    ${body}`,
  );
  const launcher = spawn(process.execPath, [path, 'one', '--two'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const output: string[] = [];
  launcher.stdout!.setEncoding('utf8').on('data', (text: string) => output.push(text));
  while (!output.join('').includes('\n')) await once(launcher.stdout!, 'data');
  return { launcher, childPid: Number(output.join('').split(' ')[1]), output };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function assertEnds(pid: number): Promise<void> {
  const deadlineMs = Date.now() + WAIT_MS;
  while (isRunning(pid)) {
    assert.ok(Date.now() < deadlineMs, `process ${pid} is still running`);
    await sleep(20);
  }
}

test('the script runs once more, with the flags and its arguments, and its exit status is passed on', async () => {
  const { launcher, childPid, output } = await start(`process.exitCode = ${EXIT_STATUS};`);
  const [code] = await once(launcher, 'exit');
  assert.equal(code, EXIT_STATUS);
  assert.notEqual(childPid, launcher.pid);
  assert.match(output.join(''), /^ready \d+ --max-semi-space-size=2 one --two\n$/);
});

test('standard input reaches the script', async () => {
  const { launcher, output } = await start(
    "for await (const part of process.stdin) console.log('read ' + part);",
  );
  launcher.stdin!.end('text');
  await once(launcher, 'close');
  assert.match(output.join(''), /read text/);
});

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  test(`${signal} is forwarded, and the launcher ends with the status of the script`, async () => {
    const { launcher, childPid } = await start(
      'setInterval(() => {}, 1000);',
      `process.on('${signal}', () => setTimeout(() => process.exit(${EXIT_STATUS}), 50));`,
    );
    launcher.kill(signal);
    assert.deepEqual(await once(launcher, 'exit'), [EXIT_STATUS, null]);
    assert.ok(!isRunning(childPid));
  });
}

test('a script that a signal kills ends the launcher by the same signal', async () => {
  const { launcher, childPid } = await start('setInterval(() => {}, 1000);');
  process.kill(childPid, 'SIGKILL');
  assert.deepEqual(await once(launcher, 'exit'), [null, 'SIGKILL']);
});

test('a killed launcher leaves no process behind', async () => {
  const { launcher, childPid } = await start('setInterval(() => {}, 1000);');
  launcher.kill('SIGKILL');
  await once(launcher, 'exit');
  await assertEnds(childPid);
});

/** A script that is launched ahead, prints its pid, waits for its release, and prints a line; `check` decides in the launcher. */
async function startAhead(
  check: string,
): Promise<{ launcher: ChildProcess; childPid: number; output: string[] }> {
  const path = join(folder, `${Math.random()}.mjs`);
  await writeFile(
    path,
    `import { isRelaunched, relaunchAhead, untilReleased } from ${JSON.stringify(RELAUNCH)};
    if (isRelaunched()) {
      console.log('waits ' + process.pid);
      await untilReleased();
      console.log('released');
      process.exit(${EXIT_STATUS});
    }
    const ahead = await relaunchAhead();
    ${check}`,
  );
  const launcher = spawn(process.execPath, [path], { stdio: ['pipe', 'pipe', 'inherit'] });
  const output: string[] = [];
  launcher.stdout!.setEncoding('utf8').on('data', (text: string) => output.push(text));
  while (!output.join('').includes('\n')) await once(launcher.stdout!, 'data');
  return { launcher, childPid: Number(output.join('').split(' ')[1]), output };
}

test('a script that is launched ahead runs when it is released, and its exit status is passed on', async () => {
  const { launcher, output } = await startAhead("process.stdin.once('data', () => ahead.release());");
  assert.doesNotMatch(output.join(''), /released/);
  launcher.stdin!.write('go');
  assert.deepEqual(await once(launcher, 'exit'), [EXIT_STATUS, null]);
  assert.match(output.join(''), /released/);
});

test('a script that is launched ahead and discarded never runs', async () => {
  const { launcher, childPid, output } = await startAhead(
    "process.stdin.once('data', () => { ahead.discard(); process.exit(); });",
  );
  launcher.stdin!.write('go');
  await once(launcher, 'close');
  await assertEnds(childPid);
  assert.doesNotMatch(output.join(''), /released/);
});

test('a launcher that is killed before the release leaves no process behind', async () => {
  const { launcher, childPid } = await startAhead('setInterval(() => {}, 1000);');
  launcher.kill('SIGKILL');
  await once(launcher, 'exit');
  await assertEnds(childPid);
});

test('a script that npx runs ends as by SIGTERM, once, when the shell of npx has ended', async () => {
  const path = join(folder, 'npx.mjs');
  await writeFile(
    path,
    `import { stopWithShell } from ${JSON.stringify(RELAUNCH)};
    let signals = 0;
    process.on('SIGTERM', () => {
      if (signals++ === 0) setTimeout(() => { console.log('signals ' + signals); process.exit(); }, 300);
    });
    stopWithShell({ npm_lifecycle_event: 'npx' }, 20);
    console.log('ready');
    setInterval(() => {}, 1000);`,
  );
  // The second command keeps the shell from replacing itself by the first.
  const shell = spawn('sh', ['-c', `"${process.execPath}" "${path}"; true`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  shell.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await once(shell.stdout, 'data');
  shell.kill('SIGKILL');
  await once(shell, 'close');
  assert.match(output, /signals 1/);
});

test('npm scripts replace their shell, which would not forward the signals of npm', async () => {
  const { scripts } = JSON.parse(await readFile(new URL('../package.json', PACKAGE_ROOT), 'utf8')) as {
    scripts: Record<string, string>;
  };
  for (const name of ['start', 'mynah', 'bench', 'load', 'acting'])
    assert.equal(scripts[name], `exec node scripts/${name}.mjs`);
});

test('the channel to the launcher does not keep a finished script alive', async () => {
  const { launcher } = await start('');
  assert.deepEqual(await once(launcher, 'exit'), [0, null]);
});

test('the installed command runs servers and remote workers with the V8 flags of the server, and no other command', async () => {
  const root = join(folder, 'package');
  const list = new URL('dist/bundle/v8-flags.js', PACKAGE_ROOT).href;
  const files = {
    'dist/bundle/v8-flags.js': `export * from ${JSON.stringify(list)};`,
    'dist/bundle/cli.js': 'export const runCommandLine = () => console.log(process.execArgv.join());',
    'package.json': '{ "type": "module" }',
  };
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  await cp(new URL('bin', PACKAGE_ROOT), join(root, 'bin'), { recursive: true });
  const flags = (await supportedV8Flags(SERVER_V8_FLAGS)).join();
  for (const [command, expected] of Object.entries({ serve: flags, worker: flags, doctor: '' })) {
    const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'bin/mynah.mjs'), command]);
    assert.equal(stdout.trim(), expected, command);
  }
});

test('npm start refuses an old Node, also where everything is built', async () => {
  const old = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.0' } });`;
  const script = new URL('../scripts/start.mjs', PACKAGE_ROOT);
  const run = promisify(execFile)(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(old)}`, fileURLToPath(script)],
    { env: { ...process.env, PORT: '0', MYNAH_DATA: join(folder, 'data') }, timeout: WAIT_MS },
  );
  await assert.rejects(run, { code: 1, stderr: /^Mynah needs Node \S+ or newer; this is 18\.20\.0\./ });
});
