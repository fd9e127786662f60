import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AudioBacklog } from './audio-backlog.ts';

function follow(waiting: Promise<void>): { isOver: boolean } {
  const state = { isOver: false };
  void waiting.then(() => {
    state.isOver = true;
  });
  return state;
}

test('add waits while the unprocessed audio exceeds the limit', async () => {
  const backlog = new AudioBacklog(2);
  await backlog.add(2);
  const third = follow(backlog.add(1));
  await nextTurn();
  assert.equal(third.isOver, false);
  backlog.markProcessed(0.5);
  await nextTurn();
  assert.equal(third.isOver, false);
  backlog.markProcessed(1);
  await nextTurn();
  assert.equal(third.isOver, true);
});

test('closing the backlog releases waiting and later calls of add', async () => {
  const backlog = new AudioBacklog(1);
  const waiting = follow(backlog.add(5));
  backlog.close();
  await nextTurn();
  assert.equal(waiting.isOver, true);
  await backlog.add(5);
});
