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
  const { SERVER_V8_FLAGS, supportedV8Flags } = await import('../dist/bundle/v8-flags.js');
  await relaunchWithFlags(await supportedV8Flags(SERVER_V8_FLAGS));
}

/**
 * Returns when this process has the flags already. Otherwise runs the script again, with them, in a child process that
 * shares the terminal; forwards signals to it, and ends as it ends.
 */
export async function relaunchWithFlags(flags) {
  if (flags.every((flag) => process.execArgv.includes(flag))) {
    // Otherwise the configuration would report an unknown setting.
    delete process.env[LAUNCHER_PID];
    stopWithParent();
    return;
  }
  const args = [...flags, ...process.execArgv, ...process.argv.slice(1)];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, [LAUNCHER_PID]: `${process.pid}` },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
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
