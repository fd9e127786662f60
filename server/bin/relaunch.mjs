// Restarts the running script in a Node process with V8 flags, because V8 reads some flags only when a process starts.
// Imports nothing but Node and the compiled list of flags.

import { spawn } from 'node:child_process';

/** Environment variable of a relaunched process: the id of the one that has launched it. */
const LAUNCHER_PID = 'MYNAH_LAUNCHER_PID';
const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Whether another process, which runs the same script, has launched this one: preparations are done. */
export function isRelaunched() {
  return process.env[LAUNCHER_PID] === `${process.ppid}`;
}

/** Returns in a process that has the V8 flags of the server. The process without them only waits for that one. */
export async function relaunchWithServerFlags() {
  await relaunchWithFlags(await serverFlags());
}

/**
 * Runs the script again with the V8 flags of the server before it is known whether it may: Node starts and loads modules
 * meanwhile. The child process waits in `untilReleased`. Undefined where nothing is built, or this process has the flags.
 */
export async function relaunchAhead() {
  const flags = await serverFlags().catch(() => undefined);
  if (flags === undefined || hasFlags(flags)) return undefined;
  const child = launch(flags);
  return {
    /** Lets the child process run, and ends as it ends. */
    async release() {
      release(child);
      await endAs(child);
    },
    discard() {
      child.removeAllListeners();
      child.kill('SIGKILL');
    },
  };
}

/** Returns when the launcher of this process has released it. Exits with the launcher. */
export function untilReleased() {
  if (!process.connected) process.exit();
  const exit = () => process.exit();
  process.once('disconnect', exit);
  return new Promise((resolve) => {
    process.once('message', () => {
      process.off('disconnect', exit);
      resolve();
    });
  });
}

async function serverFlags() {
  const { SERVER_V8_FLAGS, supportedV8Flags } = await import('../dist/bundle/v8-flags.js');
  return supportedV8Flags(SERVER_V8_FLAGS);
}

function hasFlags(flags) {
  return flags.every((flag) => process.execArgv.includes(flag));
}

/**
 * Returns when this process has the flags already. Otherwise runs the script again, with them, in a child process that
 * shares the terminal; forwards signals to it, and ends as it ends.
 */
export async function relaunchWithFlags(flags) {
  if (hasFlags(flags)) {
    // Otherwise the configuration would report an unknown setting.
    delete process.env[LAUNCHER_PID];
    stopWithParent();
    return;
  }
  const child = launch(flags);
  release(child);
  await endAs(child);
}

function launch(flags) {
  const args = [...flags, ...process.execArgv, ...process.argv.slice(1)];
  return spawn(process.execPath, args, {
    env: { ...process.env, [LAUNCHER_PID]: `${process.pid}` },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
}

/** Only a child process in `untilReleased` reads the message. */
function release(child) {
  child.send('release', () => {});
}

/** Forwards signals to the child process until it ends, and ends as it does. */
async function endAs(child) {
  // A signal to the whole process group arrives twice; the server treats repeats within 500 ms as one.
  const forward = (signal) => void child.kill(signal);
  for (const signal of FORWARDED_SIGNALS) process.on(signal, forward);
  const { code, signal } = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  for (const name of FORWARDED_SIGNALS) process.off(name, forward);
  if (signal !== null) process.kill(process.pid, signal);
  process.exit(code ?? 1);
}

/**
 * `npx mynah` runs in a shell that ends on SIGTERM without forwarding it. Stops this process as SIGTERM does when its
 * parent has ended. Does nothing where npx has not started it.
 */
export function stopWithShell(env = process.env, pollMs = 500) {
  if (env.npm_lifecycle_event !== 'npx') return;
  const shell = process.ppid;
  const poll = setInterval(() => {
    if (process.ppid === shell) return;
    // Once: a second signal would stop the server without draining.
    clearInterval(poll);
    process.kill(process.pid, 'SIGTERM');
  }, pollMs).unref();
}

/** The channel closes when the parent ends, even by SIGKILL. Then this process stops as it does on SIGTERM. */
function stopWithParent() {
  if (process.channel === undefined) return;
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}
