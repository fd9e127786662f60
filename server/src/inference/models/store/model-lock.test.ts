import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeTemporaryFolder } from '../../../../test/support/models/temporary-folder.ts';
import { identifyThisProcess } from '../../../concurrency/process-identity.ts';
import { acquireLock } from './model-lock.ts';

const token = '00000000-0000-4000-8000-000000000000';

test('only one of many contenders is inside at a time, and all get their turn', async (t) => {
  const folder = await makeTemporaryFolder(t);
  let inside = 0;
  let turns = 0;
  const contend = async () => {
    const lock = await acquireLock(folder, 'a-model');
    inside++;
    assert.equal(inside, 1);
    await sleep(5);
    inside--;
    turns++;
    await lock.release();
  };
  await Promise.all(Array.from({ length: 5 }, contend));
  assert.equal(turns, 5);
  assert.deepEqual(await readdir(folder), []);
});

test('locks of different names do not meet, even when one name begins like the other', async (t) => {
  const folder = await makeTemporaryFolder(t);
  const locks = await Promise.all(['a', 'a.b', 'b'].map((name) => acquireLock(folder, name)));
  for (const lock of locks) await lock.release();
});

test('who waits is told once which process holds the lock', async (t) => {
  const folder = await makeTemporaryFolder(t);
  const first = await acquireLock(folder, 'm');
  const holders: number[] = [];
  const waiting = acquireLock(folder, 'm', { onWait: (pid) => holders.push(pid) });
  await sleep(700);
  await first.release();
  await (await waiting).release();
  assert.deepEqual(holders, [process.pid]);
});

test('waiting can be cancelled', async (t) => {
  const folder = await makeTemporaryFolder(t);
  const held = await acquireLock(folder, 'm');
  await assert.rejects(acquireLock(folder, 'm', { signal: AbortSignal.timeout(50) }));
  await held.release();
});

test('the lock of a process that was killed is taken over at once', async (t) => {
  const folder = await makeTemporaryFolder(t);
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)']);
  const identity = await identifyThisProcess();
  const startedAt = `${Number(identity.startedAt) + 1}`;
  await writeFile(
    join(folder, `m.${token}.lock`),
    JSON.stringify({ ...identity, pid: child.pid, startedAt }),
  );
  child.kill('SIGKILL');
  await once(child, 'close');
  await (await acquireLock(folder, 'm', { signal: AbortSignal.timeout(10_000) })).release();
});

test('a process id that now belongs to another process does not keep the lock', async (t) => {
  const folder = await makeTemporaryFolder(t);
  const identity = { ...(await identifyThisProcess()), startedAt: '1' };
  await writeFile(join(folder, `m.${token}.lock`), JSON.stringify(identity));
  await (await acquireLock(folder, 'm', { signal: AbortSignal.timeout(10_000) })).release();
});

for (const { age, ageSeconds, isTakenOver } of [
  { age: 'a fresh', ageSeconds: 5, isTakenOver: false },
  { age: 'an old', ageSeconds: 120, isTakenOver: true },
]) {
  for (const { whose, content } of [
    { whose: 'another machine', content: JSON.stringify({ pid: 1, scope: 'elsewhere', startedAt: '1' }) },
    { whose: 'a process killed while it wrote it', content: '' },
  ]) {
    test(`${age} lock of ${whose} is ${isTakenOver ? 'taken over' : 'respected'}`, async (t) => {
      const folder = await makeTemporaryFolder(t);
      const path = join(folder, `m.${token}.lock`);
      await writeFile(path, content);
      const touchedAt = new Date(Date.now() - ageSeconds * 1000);
      await utimes(path, touchedAt, touchedAt);
      const acquiring = acquireLock(folder, 'm', { signal: AbortSignal.timeout(isTakenOver ? 10_000 : 400) });
      if (isTakenOver) await (await acquiring).release();
      else await assert.rejects(acquiring);
    });
  }
}

test('a lock that was taken away by another machine is no longer held', async (t) => {
  const folder = await makeTemporaryFolder(t);
  const lock = await acquireLock(folder, 'm');
  assert.equal(await lock.isHeld(), true);
  await lock.release();
  assert.equal(await lock.isHeld(), false);
});
