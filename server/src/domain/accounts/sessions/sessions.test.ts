import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryKeyStore } from '../../../../test/support/accounts/memory-key-store.ts';
import { MemorySessionStore } from '../../../../test/support/accounts/memory-session-store.ts';
import { ApiError } from '../../../errors.ts';
import { createApiKeys } from '../keys/api-keys.ts';
import { FAILED_LOGINS_MAX, KEY_LOGINS_MAX, LOGIN_WINDOW_MS } from './login-limit.ts';
import { LINK_LIFETIME_MS } from './login-links.ts';
import { ROTATION_GRACE_MS, SESSIONS_PER_KEY_MAX, Sessions, TOKEN_ROTATION_MS } from './sessions.ts';

const CLIENT = { source: '192.0.2.1', userAgent: 'Browser\n\u202e1' };
const LIFETIME_MS = 24 * 3_600_000;

async function setup() {
  const clock = { nowMs: 1_000_000 };
  const now = () => clock.nowMs;
  const keyStore = new MemoryKeyStore();
  await keyStore.ensureAccount({ id: 'acc_1', name: 'one', createdAtMs: 0 });
  const keys = createApiKeys({ store: keyStore, now });
  const { key, id: keyId } = await keys.create({ accountId: 'acc_1', name: 'laptop' });
  const actions: string[] = [];
  const actors: string[] = [];
  const store = new MemorySessionStore();
  const sessions = new Sessions({
    store,
    keys,
    audit: {
      record: async ({ action, actor }) => {
        actions.push(action);
        actors.push(actor.name);
      },
    },
    lifetimeMs: LIFETIME_MS,
    now,
  });
  return { clock, keys, key, keyId, sessions, store, actions, actors };
}

const hasCode = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code;

test('a session authenticates as its key, only a hash is stored, and the login is audited', async () => {
  const { sessions, key, keyId, store, actions } = await setup();
  const { token, session } = await sessions.open({ key }, CLIENT);
  const caller = await sessions.authenticate(token);
  assert.equal(caller?.accountId, 'acc_1');
  assert.equal(caller?.keyId, keyId);
  assert.equal(caller?.sessionId, session.id);
  assert.ok(!JSON.stringify([...store.sessions.values()]).includes(token));
  assert.equal(session.userAgent, 'Browser1');
  assert.deepEqual(actions, ['session.open']);
});

test('a session ends after its lifetime, with its key, and when it is revoked', async () => {
  const { sessions, keys, key, keyId, clock } = await setup();
  const first = await sessions.open({ key }, CLIENT);
  clock.nowMs += LIFETIME_MS;
  assert.equal(await sessions.authenticate(first.token), undefined);
  const second = await sessions.open({ key }, CLIENT);
  await sessions.revoke(second.session.id, { accountId: 'acc_1', keyId, scopes: [] }, 'x');
  assert.equal(await sessions.authenticate(second.token), undefined);
  const third = await sessions.open({ key }, CLIENT);
  await keys.revoke(keyId);
  assert.equal(await sessions.authenticate(third.token), undefined);
});

test('a key that manages no keys sees and ends only its own sessions; the audit log has the key that ended one', async () => {
  const { sessions, keys, key, keyId, actors } = await setup();
  const limited = await keys.create({ accountId: 'acc_1', name: 'app' });
  const [one, other] = [
    await sessions.open({ key }, CLIENT),
    await sessions.open({ key: limited.key }, CLIENT),
  ];
  const app = { accountId: 'acc_1', keyId: limited.id, scopes: ['tts'] } as const;
  assert.deepEqual(
    (await sessions.list(app)).map(({ id }) => id),
    [other.session.id],
  );
  await assert.rejects(sessions.revoke(one.session.id, app, 'x'), hasCode('session_not_found'));
  for (const scope of ['keys:write', 'admin'] as const) {
    const manager = { accountId: 'acc_1', keyId, scopes: [scope] };
    assert.equal((await sessions.list(manager)).length, 2);
  }
  await sessions.revoke(other.session.id, { accountId: 'acc_1', keyId, scopes: ['admin'] }, 'x');
  assert.deepEqual(actors, [keyId, limited.id, keyId]);
});

test('an old token is replaced once; the previous one works for the grace period', async () => {
  const { sessions, key, clock } = await setup();
  const { token } = await sessions.open({ key }, CLIENT);
  assert.equal(await sessions.rotate(token), undefined);
  clock.nowMs += TOKEN_ROTATION_MS;
  const rotated = await sessions.rotate(token);
  assert.ok(rotated);
  assert.equal(await sessions.rotate(token), undefined);
  assert.ok(await sessions.authenticate(token));
  assert.ok(await sessions.authenticate(rotated.token));
  clock.nowMs += ROTATION_GRACE_MS;
  assert.equal(await sessions.authenticate(token), undefined);
  assert.ok(await sessions.authenticate(rotated.token));
});

test('a login link works once and for a limited time', async () => {
  const { sessions, keyId, clock } = await setup();
  const link = sessions.links.create(keyId);
  await sessions.open({ link }, CLIENT);
  await assert.rejects(sessions.open({ link }, CLIENT), hasCode('invalid_login_link'));
  const late = sessions.links.create(keyId);
  clock.nowMs += LINK_LIFETIME_MS;
  await assert.rejects(sessions.open({ link: late }, CLIENT), hasCode('invalid_login_link'));
});

test('failed logins lock out their address for a time, and no other', async () => {
  const { sessions, key, clock } = await setup();
  for (let attempt = 0; attempt < FAILED_LOGINS_MAX; attempt++) {
    await assert.rejects(sessions.open({ key: 'wrong' }, CLIENT), hasCode('invalid_api_key'));
  }
  await assert.rejects(sessions.open({ key }, CLIENT), hasCode('too_many_logins'));
  await sessions.open({ key }, { ...CLIENT, source: '192.0.2.2' });
  clock.nowMs += LOGIN_WINDOW_MS;
  await sessions.open({ key }, CLIENT);
});

test('a key cannot fill the audit log with logins', async () => {
  const { sessions, key, clock } = await setup();
  for (let count = 0; count < KEY_LOGINS_MAX; count++) await sessions.open({ key }, CLIENT);
  await assert.rejects(sessions.open({ key }, CLIENT), hasCode('too_many_logins'));
  clock.nowMs += LOGIN_WINDOW_MS;
  await sessions.open({ key }, CLIENT);
});

test('the number of sessions of a key is limited; its oldest end, and those of other keys stay', async () => {
  const { sessions, keys, key, keyId, clock } = await setup();
  const { key: otherKey } = await keys.create({ accountId: 'acc_1', name: 'browser' });
  const other = await sessions.open({ key: otherKey }, CLIENT);
  const first = await sessions.open({ key }, CLIENT);
  for (let count = 0; count < 2 * SESSIONS_PER_KEY_MAX; count++) {
    clock.nowMs += 10;
    await sessions.open({ key }, CLIENT);
  }
  const own = await sessions.list({ accountId: 'acc_1', keyId, scopes: [] });
  assert.equal(own.length, SESSIONS_PER_KEY_MAX);
  assert.equal(await sessions.authenticate(first.token), undefined);
  assert.ok(await sessions.authenticate(other.token));
});
