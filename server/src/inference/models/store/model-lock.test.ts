import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { makeTemporaryFolder } from '../../../../test/support/models/temporary-folder.ts';
import { identifyThisProcess } from '../../../concurrency/process-identity.ts';
import { acquireLock } from './model-lock.ts';

const token = '00000000-0000-4000-8000-000000000000';

test('only one of many contenders holds the lock at a time, and all acquire it', async (t) => {
  const folder = await makeTemporaryFolder(t);
  let holders = 0;
  let acquisitions = 0;
  const contend = async () => {
    const lock = await acquireLock(folder, 'a-model');
    holders++;
    assert.equal(holders, 1);
    await nextTurn();
    holders--;
    acquisitions++;
    await lock.release();
  };
  await Promise.all(Array.from({ length: 5 }, contend));
  assert.equal(acquisitions, 5);
  assert.deepEqual(await readdir(folder), []);
});

test('locks of different names are independent, even when one name is a prefix of the other', async (t) => {
  const folder = await makeTemporaryFolder(t);
  const locks = await Promise.all(['a', 'a.b', 'b'].map((name) => acquireLock(folder, name)));
  for (const lock of locks) await lock.release();
});

test('a waiting contender gets the process id of the holder once', async (t) => {
  const folder = await makeTemporaryFolder(t);
  const first = await acquireLock(folder, 'm');
  const holders: number[] = [];
  let waiting: ReturnType<typeof acquireLock> | undefined;
  await new Promise<void>((resolve) => {
    const onWait = (pid: number) => {
      holders.push(pid);
      resolve();
    };
    waiting = acquireLock(folder, 'm', { onWait });
  });
  // Several polls, at which a second call would occur.
  await sleep(700);
  await first.release();
  await (await waiting)?.release();
  assert.deepEqual(holders, [process.pid]);
});

test('an abort ends the wait', async (t) => {
  const folder = await makeTemporaryFolder(t);
  const held = await acquireLock(folder, 'm');
  await assert.rejects(acquireLock(folder, 'm', { signal: AbortSignal.timeout(50) }));
  await held.release();
});

test('the lock of a killed process is taken over immediately', async (t) => {
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

test('a lock is taken over when its process id belongs to another process now', async (t) => {
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
    { whose: 'a process that was killed while writing it', content: '' },
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

test('a lock whose file was deleted is no longer held', async (t) => {
  const folder = await makeTemporaryFolder(t);
  const lock = await acquireLock(folder, 'm');
  assert.equal(await lock.isHeld(), true);
  await lock.release();
  assert.equal(await lock.isHeld(), false);
});
