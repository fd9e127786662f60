import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { FIRST_ACCOUNT_ID } from '../../../src/domain/accounts/keys/first-key.ts';
import { NANO_PER_USD } from '../../../src/domain/accounts/ledger/money.ts';
import { openDatabase } from '../../../src/infrastructure/sql/database.ts';
import { SqlLedger } from '../../../src/infrastructure/sql/ledger/sql-ledger.ts';
import { SqlKeyStore } from '../../../src/infrastructure/sql/sql-key-store.ts';
import { skipWithout } from '../../support/servers/missing-program.ts';
import { startRestartablePostgres } from '../../support/sql/private-postgres.ts';

/** CI sets 20. */
const RESTARTS = Number(process.env.MYNAH_TEST_RESTARTS ?? 3);
const CLIENTS = 8;
const TEXT = 'Hello there.';
const WAIT_MS_MAX = 120_000;
const MAIN = fileURLToPath(new URL('../../support/servers/prepaid-server-main.js', import.meta.url));

async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  for (const endMs = Date.now() + WAIT_MS_MAX; Date.now() < endMs; await sleep(20))
    if (await isTrue()) return;
  throw new Error(`Timed out: ${what}.`);
}

test('PostgreSQL restarts: the server responds 503 meanwhile and recovers by itself', async (context) => {
  const postgres = await startRestartablePostgres();
  if (postgres === undefined) return skipWithout('postgres', context, 'PostgreSQL is not installed.');
  const dataFolder = await mkdtemp(join(tmpdir(), 'mynah-restart-'));
  const setup = await openDatabase(postgres.address);
  await new SqlKeyStore(setup).ensureAccount({ id: FIRST_ACCOUNT_ID, name: 'First', createdAtMs: 1 });
  const credit = { id: 'credit', accountId: FIRST_ACCOUNT_ID, amountNano: 1000 * NANO_PER_USD, memo: '' };
  await new SqlLedger(setup).topUp(credit);
  await setup.destroy();

  const child = spawn(process.execPath, [MAIN], { stdio: ['pipe', 'pipe', 'inherit'] });
  const stopped = new AbortController();
  let clients: Promise<void>[] = [];
  try {
    child.stdin.write(`${JSON.stringify({ dataFolder, databaseUrl: postgres.address })}\n`);
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const { url, key } = JSON.parse(line) as { url: string; key: string };
    const statuses = new Map<string, number>();
    /** Responses that a client has received completely. */
    let completed = 0;
    const speak = async () => {
      const response = await fetch(`${url}/v1/tts`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ text: TEXT, format: 'pcm', sample_rate: 8000 }),
      });
      const code = response.headers.get('x-fish-error-code');
      if (response.status === 503) assert.ok(Number(response.headers.get('retry-after')) >= 1);
      const isComplete = await response.arrayBuffer().then(
        () => true,
        () => false,
      );
      if (response.status === 200 && isComplete) completed += 1;
      return `${response.status} ${code ?? ''}`.trim();
    };
    const health = async () => {
      const body = (await (await fetch(`${url}/v1/health`)).json()) as { status: string; ready: boolean };
      const { status } = await fetch(`${url}/v1/health/ready`);
      return `${body.status} ${body.ready} ${status}`;
    };
    clients = Array.from({ length: CLIENTS }, async () => {
      while (!stopped.signal.aborted) {
        const status = await speak();
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status !== '200') await sleep(5);
      }
    });
    const ignored = Promise.all(clients).catch(() => {});
    const countOf = (status: string) => statuses.get(status) ?? 0;

    for (let restart = 0; restart < RESTARTS; restart += 1) {
      const before = { ok: countOf('200'), refused: countOf('503 database_unavailable') };
      await until('requests are served', async () => countOf('200') > before.ok + CLIENTS);
      assert.equal(await health(), 'ok true 200');
      await postgres.stopImmediately();
      await until('requests are refused', async () => {
        return countOf('503 database_unavailable') > before.refused + CLIENTS;
      });
      assert.equal(await health(), 'degraded false 503');
      await postgres.startAgain();
      await until('the server has recovered', async () => (await health()) === 'ok true 200');
    }
    stopped.abort();
    await Promise.all(clients);
    await ignored;
    assert.equal(child.exitCode, null, 'the process has survived');
    assert.deepEqual([...statuses.keys()].sort(), ['200', '503 database_unavailable']);
    const db = await openDatabase(postgres.address);
    await until('every complete response is charged', async () => {
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from usage where units = ${TEXT.length} and cost > 0`.execute(db);
      return Number(rows[0]?.count) >= completed;
    });
    assert.deepEqual((await new SqlLedger(db).verify()).problems, []);
    context.diagnostic(
      `${RESTARTS} restarts, ${completed} complete responses, ${countOf('503 database_unavailable')} refused`,
    );
    await db.destroy();
  } finally {
    stopped.abort();
    child.kill('SIGKILL');
    await Promise.allSettled(clients);
    await rm(dataFolder, { recursive: true, force: true });
  }
});
