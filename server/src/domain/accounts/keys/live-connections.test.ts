import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../../errors.ts';
import type { Scope } from '../caller.ts';
import type { KeyGrant } from './key-store.ts';
import { type CloseReason, LiveConnections } from './live-connections.ts';

const caller = (accountId: string, keyId: string) => ({ accountId, keyId });

function setup() {
  const invalid = new Map<string, CloseReason>();
  const grants = new Map<string, KeyGrant>();
  const closed: string[] = [];
  const connections = new LiveConnections({
    findInvalid: async () => invalid,
    findGrants: async () => grants,
    perAccountMax: 2,
    checkMs: 10,
  });
  const add = (accountId: string, keyId: string) =>
    connections.add(caller(accountId, keyId), (reason) => closed.push(`${keyId} ${reason}`));
  return { invalid, grants, closed, connections, add };
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

const grantOf = (scopes: readonly Scope[], spendCapNano?: number): KeyGrant => ({
  scopes,
  spendCapNano,
  requestsPerMinute: undefined,
  concurrencyMax: undefined,
});

async function eventually(isTrue: () => boolean): Promise<void> {
  for (let time = 0; time < 500 && !isTrue(); time += 1) await sleep(10);
  assert.ok(isTrue());
}

test('a connection is closed when its key loses the scope, and its caller follows other changes', async () => {
  const { connections, grants } = setup();
  const closed: string[] = [];
  const live = { ...caller('a', 'key_1'), ...grantOf(['tts', 'asr']) };
  connections.add(live, (reason) => closed.push(`tts ${reason}`), 'tts');
  connections.add(live, (reason) => closed.push(`asr ${reason}`), 'asr');
  grants.set('key_1', grantOf(['tts', 'asr'], 5));
  await eventually(() => live.spendCapNano === 5);
  assert.deepEqual(closed, []);
  grants.set('key_1', grantOf(['asr'], 5));
  await eventually(() => closed.length > 0);
  assert.deepEqual(closed, ['tts scope_removed']);
  assert.deepEqual(live.scopes, ['asr']);
  connections.stop();
});

test('running requests are closed with their key, but do not count as connections', () => {
  const { connections, closed } = setup();
  connections.watch(caller('a', 'key_1'), (reason) => closed.push(reason), 'tts');
  assert.equal(connections.countOf('a'), 0);
  connections.closeKey('key_1', 'key_revoked');
  assert.deepEqual(closed, ['key_revoked']);
  connections.stop();
});
