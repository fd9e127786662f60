import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FirstAudioQueue } from './first-audio-queue.ts';

const LATER_MS = 60_000;

const settled = () => new Promise(setImmediate);

/** Whether a wait has ended. */
function observe(wait: { readonly ended: Promise<void> } | undefined): () => boolean {
  let isEnded = false;
  void wait?.ended.then(() => {
    isEnded = true;
  });
  return () => isEnded;
}

test('work waits until the last request has its first audio', async () => {
  const queue = new FirstAudioQueue();
  const leave = [queue.enter(), queue.enter()];
  const isEnded = observe(queue.wait(Date.now() + LATER_MS));
  leave[0]!();
  leave[0]!();
  await settled();
  assert.equal(queue.length, 1, 'a request leaves once');
  assert.equal(isEnded(), false);
  leave[1]!();
  await Promise.resolve();
  assert.equal(isEnded(), false, 'the audio of that request is sent first');
  await settled();
  await settled();
  assert.equal(isEnded(), true);
});

test('a request that arrives meanwhile prolongs the wait, up to its limit', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const queue = new FirstAudioQueue();
  const leave = queue.enter();
  const isEnded = observe(queue.wait(Date.now() + LATER_MS));
  leave();
  queue.enter();
  await settled();
  await settled();
  assert.equal(isEnded(), false);
  context.mock.timers.tick(1000);
  await settled();
  assert.equal(isEnded(), true);
});

test('work without a queue or that is due soon does not wait, and a wait can be ended', async () => {
  const queue = new FirstAudioQueue();
  assert.equal(queue.wait(Date.now() + LATER_MS), undefined);
  queue.enter();
  assert.equal(queue.wait(Date.now() + 1000), undefined);
  const wait = queue.wait(Date.now() + LATER_MS);
  const isEnded = observe(wait);
  wait?.end();
  await settled();
  assert.equal(isEnded(), true);
});
