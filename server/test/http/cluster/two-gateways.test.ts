import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { createApiKeys } from '../../../src/domain/accounts/keys/api-keys.ts';
import { FIRST_ACCOUNT_ID } from '../../../src/domain/accounts/keys/first-key.ts';
import { NANO_PER_USD } from '../../../src/domain/accounts/ledger/money.ts';
import { type OpenDatabase, openDatabase } from '../../../src/infrastructure/sql/database.ts';
import { SqlLedger } from '../../../src/infrastructure/sql/ledger/sql-ledger.ts';
import { SqlKeyStore } from '../../../src/infrastructure/sql/sql-key-store.ts';
import { openLiveSpeech } from '../../support/calls/live-speech-client.ts';
import { type GatewayProcess, startGateways } from '../../support/servers/gateway-process.ts';
import { skipWithout } from '../../support/servers/missing-program.ts';
import { BYTE_NANO } from '../../support/servers/prepaid-server.ts';
import { until } from '../../support/servers/real-server.ts';
import { privateS3 } from '../../support/servers/s3-server.ts';
import { DATABASE_KINDS, type TestDatabase } from '../../support/sql/databases.ts';

const TEXT = 'Twelve bytes';
const PRICE_NANO = TEXT.length * BYTE_NANO;

/** Two server processes on one PostgreSQL database and, where it can be installed, one S3 server. */
interface Cluster {
  readonly database: TestDatabase;
  readonly db: OpenDatabase;
  readonly folder: string;
  readonly gateways: readonly [GatewayProcess, GatewayProcess];
  readonly hasBucket: boolean;
}

let cluster: Cluster | undefined;

before(async () => {
  const database = await DATABASE_KINDS.find(({ name }) => name === 'PostgreSQL')?.create();
  if (database === undefined) return;
  const folder = await mkdtemp(join(tmpdir(), 'mynah-two-'));
  const s3 = await privateS3();
  const [one, two] = await startGateways(folder, 2, {
    databaseUrl: database.address,
    chunkMs: 2,
    // A slow machine must not refuse a request of these tests.
    queueSeconds: 600,
    // A slow machine must not let the holds of running requests expire; those of the killed server must, within the test.
    holdSeconds: 20,
    lineMs: 200,
    jobLeaseSeconds: 1,
    bucket: s3?.location,
  });
  assert.ok(one && two);
  const db = await openDatabase(database.address);
  cluster = { database, db, folder, gateways: [one, two], hasBucket: s3 !== undefined };
});

after(async () => {
  if (cluster === undefined) return;
  for (const gateway of cluster.gateways) await gateway.kill();
  await cluster.db.destroy();
  await cluster.database.remove();
  await rm(cluster.folder, { recursive: true, force: true });
});

function testCluster(name: string, work: (cluster: Cluster, context: TestContext) => Promise<void>): void {
  test(name, async (context) => {
    if (cluster === undefined) return skipWithout('postgres', context, 'PostgreSQL is not installed.');
    await work(cluster, context);
  });
}

/** An account with credit, a concurrency limit and a key. */
async function createAccount(
  { db }: Cluster,
  id: string,
  { creditNano, concurrencyMax }: { readonly creditNano: number; readonly concurrencyMax?: number },
) {
  const store = new SqlKeyStore(db);
  await store.ensureAccount({ id, name: id, createdAtMs: Date.now() });
  if (concurrencyMax !== undefined) await store.changeAccount(id, { concurrencyMax });
  await new SqlLedger(db).topUp({ id: `credit-${id}`, accountId: id, amountNano: creditNano, memo: '' });
  const { key, id: keyId } = await createApiKeys({ store }).create({ accountId: id, name: id });
  return { keyId, headers: { authorization: `Bearer ${key}` }, key };
}

/** Waits until nothing is held, and verifies the ledger. */
async function spentNano({ db }: Cluster, accountId: string): Promise<number> {
  const ledger = new SqlLedger(db);
  await until('nothing is held', async () => (await ledger.wallet(accountId)).heldNano === 0);
  assert.deepEqual((await ledger.verify()).problems, []);
  return (await ledger.wallet(accountId)).spentNano;
}

testCluster(
  '300 requests at two servers against credit for 100: exactly 100 succeed',
  async (each, context) => {
    const { headers } = await createAccount(each, 'acc_credit', {
      creditNano: 100 * PRICE_NANO,
      concurrencyMax: 1000,
    });
    const startMs = performance.now();
    const statuses = await Promise.all(
      Array.from({ length: 300 }, async (_, index) => {
        const response = await each.gateways[index % 2 === 0 ? 0 : 1].speak(TEXT, headers);
        await response.arrayBuffer();
        return response.status;
      }),
    );
    context.diagnostic(`300 requests in ${(performance.now() - startMs).toFixed(0)} ms`);
    const countOf = (status: number) => statuses.filter((found) => found === status).length;
    assert.deepEqual({ paid: countOf(200), refused: countOf(402) }, { paid: 100, refused: 200 });
    assert.equal(await spentNano(each, 'acc_credit'), 100 * PRICE_NANO);
  },
);

testCluster('a concurrency limit of 5 holds for both servers together', async (each, context) => {
  const { headers } = await createAccount(each, 'acc_five', { creditNano: NANO_PER_USD, concurrencyMax: 5 });
  let streaming = 0;
  let most = 0;
  const statuses = await Promise.all(
    Array.from({ length: 40 }, async (_, index) => {
      const response = await each.gateways[index % 2 === 0 ? 0 : 1].speak(TEXT.repeat(4), headers);
      streaming += 1;
      most = Math.max(most, streaming);
      const current = Number(response.headers.get('ratelimit-current-concurrency'));
      assert.ok(current >= 1 && current <= 5, `${current}`);
      // The server releases the slot after the last byte.
      await response.arrayBuffer().finally(() => {
        streaming -= 1;
      });
      return response.status;
    }),
  );
  assert.deepEqual([...new Set(statuses)], [200]);
  assert.ok(most <= 5, `${most} responses at once`);
  context.diagnostic(`${most} responses at once, 40 served`);
});

testCluster('a rate limit holds for both servers together', async (each) => {
  const { headers, keyId } = await createAccount(each, 'acc_rate', { creditNano: NANO_PER_USD });
  await new SqlKeyStore(each.db).changeKey(keyId, { requestsPerMinute: 10 });
  const statuses = await Promise.all(
    Array.from({ length: 40 }, async (_, index) => {
      const response = await each.gateways[index % 2 === 0 ? 0 : 1].call('/wallet/self/api-credit', {
        headers,
      });
      await response.arrayBuffer();
      return response.status;
    }),
  );
  const allowed = statuses.filter((status) => status === 200).length;
  // 10 at once, and another one for every 6 seconds that the requests take.
  assert.ok(allowed >= 10 && allowed < 20, `${allowed} allowed`);
});

testCluster(
  'a key that is revoked at one server is dead at the other, open sockets included',
  async (each, context) => {
    const [one, two] = each.gateways;
    const { headers, key, keyId } = await createAccount(each, 'acc_revoked', { creditNano: NANO_PER_USD });
    assert.equal((await two.call('/wallet/self/api-credit', { headers })).status, 200);
    const socket = await openLiveSpeech({ url: two.url, key });
    const startMs = performance.now();
    const revoked = await one.call(`/v1/admin/keys/${keyId}`, { method: 'DELETE' });
    assert.equal(revoked.status, 200, await revoked.text());
    await socket.closed;
    const closedMs = performance.now() - startMs;
    await until('the key is refused', async () => {
      return (await two.call('/wallet/self/api-credit', { headers })).status === 401;
    });
    context.diagnostic(
      `socket closed after ${closedMs.toFixed(0)} ms, key refused after ${(performance.now() - startMs).toFixed(0)} ms`,
    );
  },
);

testCluster(
  'kill -9 of a server: its client retries at the other one and pays once; its job is taken over',
  async (each, context) => {
    const [one, two] = each.gateways;
    const { headers } = await createAccount(each, 'acc_killed', { creditNano: NANO_PER_USD });
    let jobId: string | undefined;
    if (each.hasBucket) {
      const body = new FormData();
      body.append(
        'audio',
        new Blob([`audio:${Array.from({ length: 30 }, (_, i) => `line ${i}`).join('\n')}`]),
        'a.wav',
      );
      const submitted = await one.call('/v1/asr?async=true', { method: 'POST', body, headers });
      assert.equal(submitted.status, 202, await submitted.clone().text());
      jobId = ((await submitted.json()) as { id: string }).id;
    } else skipWithout('s3', context, 'The S3 server cannot be installed.');
    const text = TEXT.repeat(40);
    const retry = { ...headers, 'idempotency-key': 'once' };
    const first = await one.speak(text, retry);
    assert.equal(first.status, 200);
    const reader = first.body?.getReader();
    await reader?.read();
    await one.kill();
    await reader?.cancel().catch(() => {});

    let second: Response | undefined;
    await until('the other server serves the request', async () => {
      second = await two.speak(text, retry);
      if (second.status !== 200)
        assert.equal(second.headers.get('x-fish-error-code'), 'idempotency_in_progress');
      return second.status === 200;
    });
    assert.ok(((await second?.arrayBuffer())?.byteLength ?? 0) > 0);
    if (jobId !== undefined) {
      let job: { status: string; result: { text: string } } | undefined;
      await until('the job is finished', async () => {
        job = (await (await two.call(`/v1/asr/${jobId}`, { headers })).json()) as typeof job;
        return job?.status !== 'queued' && job?.status !== 'running';
      });
      assert.equal(job?.status, 'finished');
      assert.ok(job?.result.text.includes('line 29'));
    }
    const ledger = new SqlLedger(each.db);
    const speech = text.length * BYTE_NANO;
    await until(
      'the request is charged',
      async () => (await ledger.wallet('acc_killed')).spentNano >= speech,
    );
    // The job costs less than one request.
    const spent = await spentNano(each, 'acc_killed');
    assert.ok(spent >= speech && spent < 2 * speech, `${spent}`);
    // The slots of the killed server do not count for ever, and its account is served.
    assert.equal((await two.speak(TEXT, headers)).status, 200);
    assert.equal((await ledger.wallet(FIRST_ACCOUNT_ID)).spentNano, 0);
  },
);
