import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../caller.ts';
import type { KeyInfo } from '../keys/api-keys.ts';
import type { Administration } from './administration.ts';
import { OWN_KEYS_STORED_MAX, OwnKeys } from './own-keys.ts';

test('an account that had the maximum number of keys creates no more, by creation or by rotation', async () => {
  const scopes = ['keys:write'] as const;
  const own = { id: 'key_0', prefix: 'p', scopes, revokedAtMs: undefined } as unknown as KeyInfo;
  let count = OWN_KEYS_STORED_MAX - 1;
  const made: string[] = [];
  // The other keys are revoked.
  const administration = {
    listKeys: async () => [own, ...Array<KeyInfo>(count - 1).fill({ ...own, id: 'key_1', revokedAtMs: 1 })],
    createKey: async () => void made.push('created'),
    rotateKey: async () => void made.push('rotated'),
  } as unknown as Administration;
  const keys = new OwnKeys(administration);
  const actor = { actor: 'a', source: '' } as never;
  const caller = { accountId: 'a', keyId: 'key_0', scopes } as unknown as Caller;
  await keys.create(actor, caller, { name: 'x' });
  await keys.rotate(actor, caller, 'key_0', { graceMs: 0 });
  assert.deepEqual(made, ['created', 'rotated']);
  count += 1;
  await assert.rejects(keys.create(actor, caller, { name: 'x' }), { code: 'key_limit' });
  await assert.rejects(keys.rotate(actor, caller, 'key_0', { graceMs: 0 }), { code: 'key_limit' });
});
