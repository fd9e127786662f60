import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { FIRST_ACCOUNT_ID } from '../../src/domain/accounts/keys/first-key.ts';
import { NANO_PER_USD } from '../../src/domain/accounts/ledger/money.ts';
import { type Database, openDatabase } from '../../src/infrastructure/sql/database.ts';
import { SqlLedger } from '../../src/infrastructure/sql/ledger/sql-ledger.ts';
import { SqlKeyStore } from '../../src/infrastructure/sql/sql-key-store.ts';
import { skipWithout } from '../support/servers/missing-program.ts';
import type { PrepaidServerSettings } from '../support/servers/prepaid-server-main.ts';
import { DATABASE_KINDS } from '../support/sql/databases.ts';

/** Minimum duration of the suspension; it lasts until the other server has taken over. CI sets 60. */
const SUSPENDED_MS = Number(process.env.MYNAH_TEST_SUSPENDED_SECONDS ?? 0) * 1000;
const JOB_LEASE_SECONDS = 2;
const LINES = 40;
const LINE_MS = 160;
const CHUNK_MS = 120;
const WAIT_MS_MAX = 120_000;
const TEXT = 'x'.repeat(150);
const MAIN = fileURLToPath(new URL('../support/servers/prepaid-server-main.js', import.meta.url));

async function until<T>(what: string, find: () => Promise<T | undefined | false>): Promise<T> {
  for (const endMs = Date.now() + WAIT_MS_MAX; Date.now() < endMs; await sleep(50)) {
    const found = await find();
    if (found !== undefined && found !== false) return found;
  }
  throw new Error(`Timed out: ${what}.`);
}

interface Job {
  readonly status: string;
  readonly heard: number;
  readonly result: { readonly text: string; readonly segments: readonly unknown[] };
}

class Server {
  readonly child: ChildProcess = spawn(process.execPath, [MAIN], { stdio: ['pipe', 'pipe', 'inherit'] });
  #url = '';
  #key = '';

  async start(settings: PrepaidServerSettings): Promise<void> {
    this.child.stdin!.write(`${JSON.stringify(settings)}\n`);
    const [line] = (await once(createInterface(this.child.stdout!), 'line')) as [string];
    ({ url: this.#url, key: this.#key } = JSON.parse(line) as { url: string; key: string });
  }

  call(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(this.#url + path, {
      ...init,
      headers: { authorization: `Bearer ${this.#key}`, ...init.headers },
    });
  }

  speak(idempotencyKey: string): Promise<Response> {
    return this.call('/v1/tts', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
      body: JSON.stringify({ text: TEXT, format: 'pcm', sample_rate: 8000 }),
    });
  }

  async submitJob(lines: number): Promise<string> {
    const body = new FormData();
    const text = Array.from({ length: lines }, (_, index) => `line ${index}`).join('\n');
    body.append('audio', new Blob([`audio:${text}`]), 'recording');
    body.append('ignore_timestamps', 'false');
    const response = await this.call('/v1/asr?async=true', { method: 'POST', body });
    assert.equal(response.status, 202);
    return ((await response.json()) as { id: string }).id;
  }

  async job(id: string): Promise<Job> {
    return (await (await this.call(`/v1/asr/${id}`)).json()) as Job;
  }
}

/** The charges of an account: service and units of each usage record, and the sum of its settlements. */
async function charges(db: Database) {
  const usage = await db.selectFrom('usage').select(['service', 'units', 'cost']).execute();
  const settled = await db
    .selectFrom('ledger_transfer')
    .select('amount')
    .where('kind', '=', 'settle')
    .execute();
  return {
    usage: usage.map(({ service, units }) => `${service} ${units}`).sort(),
    usageNano: usage.reduce((sum, { cost }) => sum + cost, 0),
    settledNano: settled.reduce((sum, { amount }) => sum + amount, 0),
  };
}

test('a server that is suspended during a job and a request with an idempotency key: one result, one charge', async (context) => {
  const database = await DATABASE_KINDS.find(({ name }) => name === 'PostgreSQL')!.create();
  if (database === undefined) return skipWithout('postgres', context, 'PostgreSQL is not installed.');
  const dataFolder = await mkdtemp(join(tmpdir(), 'mynah-suspended-'));
  const db = await openDatabase(database.address);
  const [first, second] = [new Server(), new Server()];
  try {
    await new SqlKeyStore(db).ensureAccount({ id: FIRST_ACCOUNT_ID, name: 'First', createdAtMs: 1 });
    const credit = { id: 'credit', accountId: FIRST_ACCOUNT_ID, amountNano: 1000 * NANO_PER_USD, memo: '' };
    await new SqlLedger(db).topUp(credit);
    const settings = {
      dataFolder,
      databaseUrl: database.address,
      lineMs: LINE_MS,
      chunkMs: CHUNK_MS,
      jobLeaseSeconds: JOB_LEASE_SECONDS,
    };
    // Started before, so that a slow start does not let the work of the first server end, and suspended meanwhile.
    await second.start(settings);
    second.child.kill('SIGSTOP');
    await first.start(settings);
    const jobId = await first.submitJob(LINES);
    await until('the job runs', async () => (await first.job(jobId)).result.segments.length > 2);
    const interrupted = await first.speak('once');
    assert.equal(interrupted.status, 200);
    const suspendedAtMs = Date.now();
    first.child.kill('SIGSTOP');
    const interruptedBody = interrupted.arrayBuffer().catch(() => undefined);
    const { status } = await db
      .selectFrom('transcription_job')
      .select('status')
      .where('id', '=', jobId)
      .executeTakeFirstOrThrow();
    assert.equal(status, 'running');
    second.child.kill('SIGCONT');
    const complete = await until('the request is taken over', async () => {
      const response = await second.speak('once');
      const bytes = await response.arrayBuffer();
      if (response.status === 200) return bytes;
      assert.equal(response.headers.get('x-fish-error-code'), 'idempotency_in_progress');
      return undefined;
    });
    const finished = await until('the job is taken over', async () => {
      const job = await second.job(jobId);
      return job.status === 'finished' && job;
    });
    const chargedMeanwhile = await charges(db);
    await sleep(Math.max(0, SUSPENDED_MS - (Date.now() - suspendedAtMs)));
    first.child.kill('SIGCONT');

    const partial = await interruptedBody;
    assert.ok(partial === undefined || partial.byteLength < complete.byteLength, 'the stale response is cut');
    const replayed = await first.speak('once');
    assert.equal(replayed.headers.get('idempotency-replayed'), 'true');
    assert.deepEqual(Buffer.from(await replayed.arrayBuffer()), Buffer.from(complete));
    // A server runs one job at a time: when the next one is finished, the stale run has ended.
    second.child.kill('SIGKILL');
    const nextId = await first.submitJob(1);
    await until('the next job is finished', async () => (await first.job(nextId)).status === 'finished');

    assert.deepEqual(await first.job(jobId), finished, 'the result has not changed');
    assert.equal(
      finished.result.text,
      Array.from({ length: LINES }, (_, index) => `line ${index}`).join(' '),
    );
    const after = await charges(db);
    assert.deepEqual(chargedMeanwhile.usage, [`asr ${Math.ceil(finished.heard)}`, `tts ${TEXT.length}`]);
    assert.equal(after.usage.length, 3, 'the two results and the next job');
    assert.equal(after.settledNano, after.usageNano);
    await until('no hold is open', async () => {
      const { problems, openHolds } = await new SqlLedger(db).verify();
      assert.deepEqual(problems, []);
      return openHolds === 0;
    });
    const seconds = (Date.now() - suspendedAtMs) / 1000;
    context.diagnostic(`suspended for ${seconds.toFixed(1)} s; charges: ${after.usage.join(', ')}`);
  } finally {
    for (const { child } of [first, second]) child.kill('SIGKILL');
    await db.destroy();
    await database.remove();
    await rm(dataFolder, { recursive: true, force: true });
  }
});
