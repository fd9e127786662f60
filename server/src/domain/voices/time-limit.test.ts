import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withinTime } from './time-limit.ts';

const never = new AbortController().signal;
const limit = { seconds: 0.02, what: 'Waiting', signal: never };

test('what is done in time is given back, and what fails in time fails as it did', async () => {
  assert.equal(await withinTime({ ...limit, seconds: 5 }, async () => 7), 7);
  const failing = withinTime({ ...limit, seconds: 5 }, () => Promise.reject(new Error('of its own')));
  await assert.rejects(failing, { message: 'of its own' });
});

test('what takes too long is refused and told to stop, also when it does not listen', async () => {
  for (const listens of [true, false]) {
    let told: AbortSignal | undefined;
    const stuck = withinTime(limit, (signal) => {
      told = signal;
      return new Promise((_, reject) => {
        if (listens) signal.addEventListener('abort', () => reject(new Error('stopped')));
      });
    });
    await assert.rejects(stuck, {
      code: 'engine_unavailable',
      message: /^Waiting takes longer than 0.02 seconds/,
    });
    assert.equal(told?.aborted, true);
  }
});

test('who leaves before is answered with the reason, whatever the work says', async () => {
  const client = new AbortController();
  const left = new Error('left');
  const work = withinTime({ seconds: 5, what: 'Waiting', signal: client.signal }, async (signal) => {
    client.abort(left);
    signal.throwIfAborted();
  });
  await assert.rejects(work, left);
  await assert.rejects(
    withinTime({ ...limit, signal: client.signal }, async () => 1),
    left,
  );
});
