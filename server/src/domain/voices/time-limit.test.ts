import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withTimeLimit } from './time-limit.ts';

const never = new AbortController().signal;
const limit = { seconds: 0.02, operation: 'Waiting', signal: never };

test('within the limit, results and errors are passed on', async () => {
  assert.equal(await withTimeLimit({ ...limit, seconds: 5 }, async () => 7), 7);
  const failing = withTimeLimit({ ...limit, seconds: 5 }, () => Promise.reject(new Error('of its own')));
  await assert.rejects(failing, { message: 'of its own' });
});

test('after the limit the operation is aborted and the call rejects, even when the operation ignores its signal', async () => {
  for (const handlesAbort of [true, false]) {
    let received: AbortSignal | undefined;
    const stuck = withTimeLimit(limit, (signal) => {
      received = signal;
      return new Promise((_, reject) => {
        if (handlesAbort) signal.addEventListener('abort', () => reject(new Error('stopped')));
      });
    });
    await assert.rejects(stuck, {
      code: 'engine_unavailable',
      message: /^Waiting took longer than 0.02 seconds/,
    });
    assert.equal(received?.aborted, true);
  }
});

test('an abort by the caller rejects with its reason, whatever error the operation throws', async () => {
  const client = new AbortController();
  const left = new Error('left');
  const work = withTimeLimit({ seconds: 5, operation: 'Waiting', signal: client.signal }, async (signal) => {
    client.abort(left);
    signal.throwIfAborted();
  });
  await assert.rejects(work, left);
  await assert.rejects(
    withTimeLimit({ ...limit, signal: client.signal }, async () => 1),
    left,
  );
});
