import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../../errors.ts';
import { type CloseReason, LiveConnections } from './live-connections.ts';

const caller = (accountId: string, keyId: string) => ({ accountId, keyId });

function setup() {
  const invalid = new Map<string, CloseReason>();
  const closed: string[] = [];
  const connections = new LiveConnections({
    findInvalid: async () => invalid,
    perAccountMax: 2,
    checkMs: 10,
  });
  const add = (accountId: string, keyId: string) =>
    connections.add(caller(accountId, keyId), (reason) => closed.push(`${keyId} ${reason}`));
  return { invalid, closed, connections, add };
}

test('connections of a key that is revoked through this server close at once, others stay open', () => {
  const { connections, closed, add } = setup();
  add('a', 'key_1');
  add('a', 'key_2');
  connections.closeKey('key_1', 'key_revoked');
  assert.deepEqual(closed, ['key_1 key_revoked']);
  assert.equal(connections.countOf('a'), 1);
  connections.stop();
});

test('connections of a key that another process revoked, or that expired, close once at the next check', async () => {
  const { connections, closed, add, invalid } = setup();
  add('a', 'key_1');
  invalid.set('key_1', 'key_expired');
  await sleep(60);
  assert.deepEqual(closed, ['key_1 key_expired']);
  connections.stop();
});

test('the number of connections per account is limited', () => {
  const { connections, add } = setup();
  const remove = add('a', 'key_1');
  add('a', 'key_2');
  assert.throws(
    () => connections.assertCapacity('a'),
    (error) => error instanceof ApiError && error.status === 429,
  );
  connections.assertCapacity('b');
  remove();
  connections.assertCapacity('a');
  connections.stop();
});
