import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SocketBudgets } from './socket-budgets.ts';

test('bytes are limited per socket and per account, and closing a socket releases its bytes', () => {
  const budgets = new SocketBudgets({ socketMaxBytes: 10, accountMaxBytes: 15 });
  const [first, second, other] = [budgets.open('a'), budgets.open('a'), budgets.open('b')];
  assert.equal(first.tryAdd(11), false);
  assert.equal(first.tryAdd(10), true);
  assert.equal(second.tryAdd(6), false);
  assert.equal(other.tryAdd(6), true);
  let released = 0;
  second.onRelease = () => {
    released += 1;
  };
  first.close();
  assert.equal(released, 1);
  assert.equal(second.tryAdd(10), true);
});

test('a socket without unprocessed bytes may read although its account exceeds the limit', () => {
  const budgets = new SocketBudgets({ socketMaxBytes: 10, accountMaxBytes: 5 });
  const [first, second] = [budgets.open('a'), budgets.open('a')];
  first.add(8);
  assert.equal(first.isExceeded, true);
  assert.equal(second.isExceeded, false);
  second.add(1);
  assert.equal(second.isExceeded, true);
});
