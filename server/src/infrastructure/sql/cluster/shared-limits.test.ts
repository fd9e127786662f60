import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { skipWithout } from '../../../../test/support/servers/missing-program.ts';
import { DATABASE_KINDS } from '../../../../test/support/sql/databases.ts';
import type { AccountSlot } from '../../../domain/accounts/limits/account-slots.ts';
import { SharedAdmission } from '../../../domain/accounts/limits/shared-admission.ts';
import { LOGIN_WINDOW_MS } from '../../../domain/accounts/sessions/login-limit.ts';
import { type Database, openDatabase } from '../database.ts';
import { databaseTime } from '../database-clock.ts';
import { SqlKeyStore } from '../sql-key-store.ts';
import { ChangeListener, type DatabaseChange } from './change-listener.ts';
import { SqlAccountSlots } from './sql-account-slots.ts';
import { SqlGateways } from './sql-gateways.ts';
import { SqlLoginCounter } from './sql-login-counter.ts';
import { SqlRateLimiter } from './sql-rate-limiter.ts';

/** Runs a test on a PostgreSQL database with the connections of two servers. */
function testOnPostgres(
  name: string,
  work: (servers: readonly [Database, Database], address: string) => Promise<void>,
): void {
  test(name, async (context: TestContext) => {
    const database = await DATABASE_KINDS.find((kind) => kind.name === 'PostgreSQL')?.create();
    if (database === undefined) return skipWithout('postgres', context, 'PostgreSQL is not installed.');
    const servers = [await openDatabase(database.address), await openDatabase(database.address)] as const;
    try {
      await work(servers, database.address);
    } finally {
      for (const db of servers) await db.destroy();
      await database.remove();
    }
  });
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (const endMs = Date.now() + 60_000; Date.now() < endMs; await sleep(10)) if (await isTrue()) return;
  throw new Error('Timeout.');
}

testOnPostgres('two servers never hold more slots of an account than its limit', async ([one, two]) => {
  const servers = [new SqlAccountSlots(one), new SqlAccountSlots(two)];
  let held = 0;
  let most = 0;
  let taken = 0;
  const work = async (index: number) => {
    for (let round = 0; round < 8; round += 1) {
      const slot = await servers[index % 2]?.take('request', 'acc', 5);
      if (slot === undefined) continue;
      held += 1;
      taken += 1;
      most = Math.max(most, held);
      assert.ok(slot.activeCount <= 5);
      await sleep(1);
      held -= 1;
      await slot.release();
    }
  };
  await Promise.all(Array.from({ length: 24 }, (_, index) => work(index)));
  assert.ok(most <= 5, `${most} slots at once`);
  assert.ok(taken > 5);
  // All are free again, and other accounts and kinds have their own.
  const all = await Promise.all(Array.from({ length: 6 }, () => servers[0]?.take('request', 'acc', 5)));
  assert.equal(all.filter((slot) => slot !== undefined).length, 5);
  assert.ok(await servers[1]?.take('request', 'other', 5));
  assert.ok(await servers[1]?.take('socket', 'acc', 5));
  // A limit above the number that is compared at once.
  assert.ok(await servers[1]?.take('request', 'large', 100_000));
});

testOnPostgres(
  'the slots of a server that has died expire, those of a running one do not',
  async ([one, two]) => {
    const LEASE_MS = 1500;
    const dead = new SqlAccountSlots(one, LEASE_MS);
    const alive = new SqlAccountSlots(two, 600_000);
    const take = (slots: SqlAccountSlots) => slots.take('request', 'acc', 1);
    assert.ok(await take(dead));
    let successor: AccountSlot | undefined;
    await until(async () => {
      successor = await take(alive);
      return successor !== undefined;
    });
    // As if most of the lease had passed: a renewal makes it whole again.
    await two
      .updateTable('account_slot')
      .set({ expires_at: databaseTime(two, 1000) })
      .execute();
    await alive.renew();
    await sleep(1500);
    assert.equal(await take(dead), undefined);
    await alive.close();
    assert.ok(await take(dead));
  },
);

testOnPostgres(
  'admission holds the concurrency limit on two servers together and serves all',
  async ([one, two]) => {
    const settings = { startingMax: 16, queueMax: 100, queueMs: 60_000 };
    const admissions = [one, two].map((db) => new SharedAdmission(settings, new SqlAccountSlots(db)));
    const request = { accountId: 'acc', keyId: 'key', concurrencyMax: 5 };
    let active = 0;
    let most = 0;
    const serve = async (index: number) => {
      const ticket = await admissions[index % 2]?.acquire(request, new AbortController().signal);
      active += 1;
      most = Math.max(most, active);
      await sleep(5);
      active -= 1;
      ticket?.release();
      ticket?.release();
    };
    await Promise.all(Array.from({ length: 40 }, (_, index) => serve(index)));
    assert.ok(most <= 5, `${most} at once`);
  },
);

testOnPostgres(
  'a request without a slot is refused after the wait, and stops waiting with its client',
  async ([one]) => {
    const slots = new SqlAccountSlots(one);
    const settings = { startingMax: 2, queueMax: 1, queueMs: 300 };
    const admission = new SharedAdmission(settings, slots);
    const request = { accountId: 'acc', keyId: 'key', concurrencyMax: 1 };
    // Another server holds the only slot.
    await new SqlAccountSlots(one).take('request', 'acc', 1);
    const signal = new AbortController().signal;
    await assert.rejects(admission.acquire(request, signal), { code: 'concurrency_exceeded' });
    const client = new AbortController();
    const waiting = admission.acquire(request, client.signal);
    await until(() => admission.queueLength === 1);
    // The queue is full.
    await assert.rejects(admission.acquire(request, signal), { code: 'concurrency_exceeded' });
    client.abort(new Error('gone'));
    await assert.rejects(waiting, /gone/);
    assert.equal(admission.queueLength, 0);
    // Another account is not delayed.
    (await admission.acquire({ ...request, accountId: 'other' }, signal)).release();
  },
);

testOnPostgres('the rate limit of a key holds on two servers together', async ([one, two]) => {
  const limiters = [new SqlRateLimiter(one), new SqlRateLimiter(two)];
  const states = await Promise.all(
    Array.from({ length: 30 }, (_, index) => limiters[index % 2]?.countRequest('key', 10)),
  );
  const allowed = states.filter((state) => state?.isAllowed);
  // A request becomes available every 6 seconds.
  assert.ok(allowed.length >= 10 && allowed.length <= 12, `${allowed.length} allowed`);
  const refused = states.find((state) => state?.isAllowed === false);
  assert.ok((refused?.resetSeconds ?? 0) > 0 && (refused?.resetSeconds ?? 61) <= 6);
  assert.equal((await limiters[0]?.countRequest('other', 10))?.remaining, 9);
});

testOnPostgres(
  'a change of a key, an account or a voice is announced to other servers',
  async ([one, two], address) => {
    const changes: DatabaseChange[] = [];
    const listener = new ChangeListener(address, (change) => changes.push(change));
    try {
      await until(() => changes.some(({ table }) => table === 'all'));
      const keys = new SqlKeyStore(one);
      await keys.ensureAccount({ id: 'acc', name: 'acc', createdAtMs: 1 });
      await keys.addKey({
        id: 'key_1',
        accountId: 'acc',
        name: 'key',
        prefix: 'p',
        hash: 'h',
        createdAtMs: 1,
        expiresAtMs: undefined,
        revokedAtMs: undefined,
        lastUsedAtMs: undefined,
        scopes: ['tts'],
        meterId: 'key_1',
        spendCapNano: undefined,
        requestsPerMinute: undefined,
      });
      await keys.recordUse('key_1', 2);
      await new SqlKeyStore(two).revoke('key_1', 3);
      await until(() => changes.some((change) => change.table === 'api_key' && change.id === 'key_1'));
      await keys.changeAccount('acc', { deletedAtMs: 4 });
      await until(() => changes.some((change) => change.table === 'account' && change.id === 'acc'));
      // The time of last use changes with every request and is not announced.
      assert.equal(changes.filter(({ table }) => table === 'api_key').length, 1);
      // The connection of the listener is lost: it connects again and reports that changes may have been missed.
      await two
        .selectFrom('pg_stat_activity' as never)
        .select(({ fn }) => fn('pg_terminate_backend', ['pid' as never]).as('ended'))
        .where('application_name' as never, '=', 'mynah changes' as never)
        .execute();
      await until(() => changes.filter(({ table }) => table === 'all').length === 2);
    } finally {
      await listener.close();
    }
  },
);

testOnPostgres('a server with other prices than a running one is not registered', async ([one, two]) => {
  const server = { host: 'a', version: '1.0.0', settings: { MYNAH_PRICES: '1', MYNAH_SOCKETS_MAX: '2' } };
  const first = new SqlGateways(one);
  assert.deepEqual((await first.register(server)).differing, []);
  const changed = { ...server, settings: { ...server.settings, MYNAH_PRICES: '3', MYNAH_NEW: '1' } };
  const second = new SqlGateways(two);
  assert.deepEqual((await second.register(changed)).differing, ['MYNAH_PRICES']);
  assert.equal((await second.list()).length, 1);
  await first.close();
  assert.deepEqual((await second.register(changed)).differing, []);
  await second.close();
});

testOnPostgres('two servers count the logins of an address together, within a window', async ([one, two]) => {
  const servers = [new SqlLoginCounter(one), new SqlLoginCounter(two)] as const;
  await Promise.all(Array.from({ length: 10 }, (_, index) => servers[index % 2]?.add('address a')));
  const counted = await servers[0].find('address a');
  assert.equal(counted?.count, 10);
  assert.ok(counted.remainingMs > LOGIN_WINDOW_MS - 60_000 && counted.remainingMs <= LOGIN_WINDOW_MS);
  assert.equal(await servers[1].find('address b'), undefined);
  await one
    .updateTable('login_count')
    .set({ expires_at: databaseTime(one, -1) })
    .execute();
  assert.equal(await servers[1].find('address a'), undefined);
  await servers[1].add('address a');
  await servers[0].removeExpired();
  assert.equal((await servers[0].find('address a'))?.count, 1);
});
