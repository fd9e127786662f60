import assert from 'node:assert/strict';
import { test } from 'node:test';
import { untilAborted } from './until-aborted.ts';

test('waiting for a shared value ends with the value, its error or the cancellation', async () => {
  const never = new Promise<string>(() => {});
  const { signal } = new AbortController();
  assert.equal(await untilAborted(Promise.resolve('value'), signal), 'value');
  await assert.rejects(untilAborted(Promise.reject(new Error('failed')), signal), /failed/);
  const abort = new AbortController();
  const waiting = untilAborted(never, abort.signal);
  abort.abort(new Error('cancelled'));
  await assert.rejects(waiting, /cancelled/);
  await assert.rejects(untilAborted(never, abort.signal), /cancelled/);
});
