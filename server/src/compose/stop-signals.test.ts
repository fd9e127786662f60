import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

const MODULE = import.meta.url.replace('.test.', '.');

/** A process that takes `stopMs` to stop, or has not called `onStop` yet. */
async function start(
  stopMs: number | undefined,
): Promise<{ child: ChildProcess; exit: Promise<number | null> }> {
  const script = `
    import { stopOnSignals } from ${JSON.stringify(MODULE)};
    const signals = stopOnSignals();
    if (${stopMs} !== undefined) signals.onStop(() => new Promise((resolve) => setTimeout(resolve, ${stopMs})));
    setInterval(() => {}, 1000);
    console.log('started');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit').then(([code]) => code as number | null);
  await once(child.stdout!, 'data');
  return { child, exit };
}

test('a signal stops gracefully, and a repetition within 500 ms has no effect', async () => {
  const { child, exit } = await start(100);
  child.kill('SIGINT');
  child.kill('SIGINT');
  assert.equal(await exit, 0);
});

test('a second signal stops at once', async () => {
  const { child, exit } = await start(60_000);
  child.kill('SIGTERM');
  await sleep(700);
  child.kill('SIGINT');
  assert.equal(await exit, 130);
});

test('a signal before onStop was called stops at once', async () => {
  const { child, exit } = await start(undefined);
  child.kill('SIGINT');
  assert.equal(await exit, 130);
});
