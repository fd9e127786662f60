import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { FIRST_ACCOUNT_ID } from '../../../src/domain/accounts/keys/first-key.ts';
import { NANO_PER_USD } from '../../../src/domain/accounts/ledger/money.ts';
import { planChapters } from '../../../src/domain/audiobooks/plan-sections.ts';
import type { Transcript } from '../../../src/domain/transcription/transcription-service.ts';
import { type Database, openDatabase } from '../../../src/infrastructure/sql/database.ts';
import { SqlLedger } from '../../../src/infrastructure/sql/ledger/sql-ledger.ts';
import { SqlKeyStore } from '../../../src/infrastructure/sql/sql-key-store.ts';
import { skipWithout } from '../servers/missing-program.ts';
import { BYTE_NANO, SECOND_NANO } from '../servers/prepaid-server.ts';
import type { PrepaidServerSettings } from '../servers/prepaid-server-main.ts';
import { until } from '../servers/real-server.ts';
import { DATABASE_KINDS, type DatabaseKind } from '../sql/databases.ts';
import { BOOK_CHAPTERS, PAID_OPERATIONS, sendPaidRequest } from './paid-mix.ts';

/** Number of kills on each database. `.ci/run` sets a larger number. */
const KILLS = Number(process.env.MYNAH_TEST_KILLS ?? 3);
const CLIENTS = 6;
const RUN_MS_MAX = 200;
/** One in this number of servers is killed while it starts its worker; the others after their first responses. */
const EARLY_EVERY = 5;
/** Successful requests before a kill. */
const SUCCESSES_MIN = 5;
/** Number of kills from which every paid operation must have succeeded at least once. */
const COMPLETE_FROM_KILLS = 100;
const DAY_MS = 86_400_000;
const JOB_LEASE_SECONDS = 1;

const MAIN = fileURLToPath(new URL('../servers/prepaid-server-main.js', import.meta.url));

interface Address {
  readonly url: string;
  readonly key: string;
}

/** A server process that has loaded its code and waits for its settings. */
class StandbyServer {
  readonly #child: ChildProcess = spawn(process.execPath, [MAIN], { stdio: ['pipe', 'pipe', 'inherit'] });
  /** The newest worker process. */
  workerPid: number | undefined;

  async start(settings: PrepaidServerSettings): Promise<Address> {
    this.#child.stdin!.write(`${JSON.stringify(settings)}\n`);
    const lines = createInterface(this.#child.stdout!);
    const address = new Promise<Address>((resolve, reject) => {
      lines.on('line', (line) => {
        const message = JSON.parse(line) as Partial<Address> & { worker?: number };
        if (message.worker !== undefined) this.workerPid = message.worker;
        else resolve(message as Address);
      });
      this.#child.once('exit', () => reject(new Error('The server exited while it started.')));
    });
    return address;
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }

  /** Kills the worker; false when it has not run yet. */
  killWorker(): boolean {
    const pid = this.workerPid;
    this.workerPid = undefined;
    if (pid === undefined) return false;
    try {
      return process.kill(pid, 'SIGKILL');
    } catch {
      return false;
    }
  }
}

/** Paid requests of all kinds until `stop`. Errors are expected. */
class PaidTraffic {
  successes = 0;
  readonly #stop = new AbortController();
  readonly #clients: readonly Promise<void>[];

  /** `operations` counts the successful requests by operation. */
  constructor(target: Address, idempotencyKey: string, operations: Map<string, number>) {
    const { signal } = this.#stop;
    const options = { target, signal, idempotencyKey, accountId: FIRST_ACCOUNT_ID };
    this.#clients = Array.from({ length: CLIENTS }, async () => {
      while (!signal.aborted) {
        await sendPaidRequest(options).then(
          (operation) => {
            this.successes += 1;
            operations.set(operation, (operations.get(operation) ?? 0) + 1);
          },
          () => sleep(1),
        );
      }
    });
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#clients);
  }
}

async function assertConsistentLedger(db: Database, moment: string): Promise<void> {
  const { problems } = await new SqlLedger(db).verify();
  assert.deepEqual(problems, [], moment);
}

async function chargedNanoOf(db: Database): Promise<bigint> {
  return (await new SqlLedger(db).verify()).chargedNano;
}

/** Every finished job is charged its seconds, once, although its servers and workers were killed. */
async function assertJobsAreCharged(db: Database): Promise<number> {
  const jobs = await db
    .selectFrom('transcription_job')
    .select(['id', 'transcript'])
    .where('status', '=', 'finished')
    .execute();
  for (const { id, transcript } of jobs) {
    const holds = await db.selectFrom('hold').select('settled').where('id', 'like', `${id}:%`).execute();
    const chargedNano = holds.reduce((sum, { settled }) => sum + settled, 0);
    const { durationSeconds } = JSON.parse(transcript!) as Transcript;
    assert.equal(chargedNano, Math.ceil(durationSeconds) * SECOND_NANO, `job ${id}`);
  }
  return jobs.length;
}

/** Every finished book is charged its text, once. */
async function assertBooksAreCharged(db: Database): Promise<number> {
  const books = await db.selectFrom('audiobook_job').select('id').where('status', '=', 'finished').execute();
  const texts = (await planChapters(BOOK_CHAPTERS)).flatMap(({ sections }) =>
    sections.map(({ text }) => text),
  );
  for (const { id } of books) {
    const holds = await db.selectFrom('hold').select('settled').where('id', 'like', `${id}:%`).execute();
    const chargedNano = holds.reduce((sum, { settled }) => sum + settled, 0);
    assert.equal(chargedNano, Buffer.byteLength(texts.join('')) * BYTE_NANO, `book ${id}`);
  }
  return books.length;
}

/** Number of transcription jobs and books that have not ended. */
async function countOpenJobs(db: Database): Promise<number> {
  const open = ['queued', 'running'] as const;
  const jobs = await db.selectFrom('transcription_job').select('id').where('status', 'in', open).execute();
  const books = await db.selectFrom('audiobook_job').select('id').where('status', 'in', open).execute();
  return jobs.length + books.length;
}

/** Kills servers and workers of one database system at random moments during paid requests of all kinds. */
export function testKills(name: DatabaseKind['name']): void {
  const kind = DATABASE_KINDS.find((candidate) => candidate.name === name)!;
  test(`${kind.name}: the ledger is consistent after each of ${KILLS} kills of servers and workers during all paid operations`, async (context) => {
    const database = await kind.create();
    if (database === undefined) return skipWithout('postgres', context, `${kind.name} is not installed.`);
    const dataFolder = await mkdtemp(join(tmpdir(), 'mynah-kill-'));
    const address = kind.name === 'SQLite' ? join(dataFolder, 'mynah.db') : database.address;
    const settings: PrepaidServerSettings = {
      dataFolder,
      databaseUrl: kind.name === 'SQLite' ? undefined : database.address,
      jobLeaseSeconds: JOB_LEASE_SECONDS,
      hasWorker: true,
    };
    const db = await openDatabase(address);
    let next = new StandbyServer();
    const operations = new Map<string, number>();
    let workerKills = 0;
    try {
      await new SqlKeyStore(db).ensureAccount({ id: FIRST_ACCOUNT_ID, name: 'First', createdAtMs: 1 });
      const credit = { id: 'credit', accountId: FIRST_ACCOUNT_ID, amountNano: 1000 * NANO_PER_USD, memo: '' };
      await new SqlLedger(db).topUp(credit);
      for (let kill = 0; kill < KILLS; ) {
        const server = next;
        next = new StandbyServer();
        const target = await server.start(settings);
        // The same idempotency key is used across several servers.
        const traffic = new PaidTraffic(target, `k${kill >> 3}`, operations);
        for (let isAlive = true; isAlive; kill += 1) {
          const successesMin = kill % EARLY_EVERY === 0 ? 0 : traffic.successes + SUCCESSES_MIN;
          await until('requests succeed', () => traffic.successes >= successesMin);
          // Not every success is charged at once: a job is charged when it ends, a repeated request never again.
          const isLast = kill + 1 === KILLS;
          if (isLast) await until('a request is charged', async () => (await chargedNanoOf(db)) > 0n);
          await sleep(randomInt(RUN_MS_MAX));
          const isWorker = !isLast && randomInt(2) === 0 && server.killWorker();
          if (isWorker) workerKills += 1;
          else await server.kill();
          isAlive = isWorker;
          await assertConsistentLedger(db, `after kill ${kill + 1}`);
        }
        await traffic.stop();
      }
      // The last server finishes the jobs of those that were killed.
      await next.start(settings);
      await until('all jobs have ended', async () => (await countOpenJobs(db)) === 0, 120_000);
      await next.kill();
      const finishedJobs = await assertJobsAreCharged(db);
      const finishedBooks = await assertBooksAreCharged(db);
      // After all holds have expired.
      const ledger = new SqlLedger(db, () => Date.now() + DAY_MS);
      while ((await ledger.expire()) > 0);
      const { problems, openHolds, transfers, chargedNano } = await ledger.verify();
      assert.deepEqual(problems, []);
      assert.equal(openHolds, 0);
      const missing = PAID_OPERATIONS.filter((name) => !operations.has(name));
      if (KILLS >= COMPLETE_FROM_KILLS) assert.deepEqual(missing, [], 'every paid operation has succeeded');
      const successes = [...operations.values()].reduce((sum, count) => sum + count, 0);
      context.diagnostic(
        `${KILLS} kills, ${workerKills} of them of workers; ${successes} successful requests of ${PAID_OPERATIONS.length - missing.length} of ${PAID_OPERATIONS.length} operations, ${finishedJobs} finished jobs, ${finishedBooks} finished books, ${transfers} transfers, ${chargedNano} nano-dollars charged`,
      );
    } finally {
      await next.kill();
      await db.destroy();
      await database.remove();
      await rm(dataFolder, { recursive: true, force: true });
    }
  });
}
