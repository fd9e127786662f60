import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Backlog } from './backlog.ts';

function follow(waiting: Promise<void>): { isOver: boolean } {
  const state = { isOver: false };
  void waiting.then(() => {
    state.isOver = true;
  });
  return state;
}

test('who sends waits while more than enough was not heard yet', async () => {
  const backlog = new Backlog(2);
  await backlog.add(2);
  const third = follow(backlog.add(1));
  await nextTurn();
  assert.equal(third.isOver, false);
  backlog.heard(0.5);
  await nextTurn();
  assert.equal(third.isOver, false);
  backlog.heard(1);
  await nextTurn();
  assert.equal(third.isOver, true);
});

test('nobody waits for ears that are closed', async () => {
  const backlog = new Backlog(1);
  const waiting = follow(backlog.add(5));
  backlog.close();
  await nextTurn();
  assert.equal(waiting.isOver, true);
  await backlog.add(5);
});
