import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
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
import { SqlKeyStore } from '../../src/infrastructure/sql/sql-key-store.ts';
import { SqlLedger } from '../../src/infrastructure/sql/sql-ledger.ts';
import { skipWithout } from '../support/missing-program.ts';
import { DATABASE_KINDS } from '../support/sql/databases.ts';

/** Number of kills over all databases. CI runs 200. */
const KILLS = Number(process.env.MYNAH_TEST_KILLS ?? 20);
/** Most of them on SQLite, which runs in the killed process. */
const SHARE = { SQLite: 0.75, PostgreSQL: 0.25 } as const;
const CLIENTS = 6;
const RUN_MS_MAX = 200;
const DAY_MS = 86_400_000;
/** One in this number of servers is killed while it starts; the others after their first response. */
const EARLY_EVERY = 5;

const MAIN = fileURLToPath(new URL('../support/prepaid-server-main.js', import.meta.url));

interface Address {
  readonly url: string;
  readonly key: string;
}

/** A server process that has loaded its code and waits for its settings. */
class StandbyServer {
  readonly #child: ChildProcess = spawn(process.execPath, [MAIN], { stdio: ['pipe', 'pipe', 'inherit'] });

  async start(settings: {
    readonly dataFolder: string;
    readonly databaseUrl: string | undefined;
  }): Promise<Address> {
    this.#child.stdin!.write(`${JSON.stringify(settings)}\n`);
    const [line] = (await once(createInterface(this.#child.stdout!), 'line')) as [string];
    return JSON.parse(line) as Address;
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }
}

/** Sends charged requests of all kinds until the signal aborts, and reports each charged response. Errors are expected. */
async function sendRequests(
  { url, key }: Address,
  { signal, repeatable, onResponse }: { signal: AbortSignal; repeatable: string; onResponse: () => void },
): Promise<void> {
  const post = (
    path: string,
    body: object,
    headers: Record<string, string> = {},
    requestSignal?: AbortSignal,
  ) =>
    fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: requestSignal ?? signal,
    });
  const speak = (length: number) => ({ text: 'x'.repeat(length), format: 'pcm', sample_rate: 8000 });
  const kinds = [
    async () => (await post('/v1/tts', speak(randomInt(1, 20)))).arrayBuffer(),
    async () => (await post('/v1/tts', speak(200), {}, AbortSignal.timeout(randomInt(1, 40)))).arrayBuffer(),
    async () => (await post('/v1/tts', speak(30), { 'idempotency-key': repeatable })).arrayBuffer(),
    async () => (await post('/v1/tts', speak(10), { model: 's2.1-pro-free' })).arrayBuffer(),
    async () => (await post('/v1/tts', { text: 'x', reference_id: 'nobody' })).arrayBuffer(),
    async () => {
      const credit = { kind: 'top_up', usd: '0.01', id: randomUUID() };
      await (await post(`/v1/admin/accounts/${FIRST_ACCOUNT_ID}/credit`, credit)).arrayBuffer();
    },
  ];
  while (!signal.aborted) {
    const kind = randomInt(kinds.length);
    await kinds[kind]!().then(
      () => kind === 0 && onResponse(),
      () => sleep(1),
    );
  }
}

async function assertConsistentLedger(db: Database, moment: string): Promise<void> {
  const { problems } = await new SqlLedger(db).verify();
  assert.deepEqual(problems, [], moment);
}

for (const kind of DATABASE_KINDS) {
  const kills = Math.ceil(KILLS * SHARE[kind.name]);
  test(`${kind.name}: the ledger is consistent after each of ${kills} kills of the server during charged traffic`, async (context) => {
    const database = await kind.create();
    if (database === undefined) return skipWithout('postgres', context, `${kind.name} is not installed.`);
    const dataFolder = await mkdtemp(join(tmpdir(), 'mynah-kill-'));
    const address = kind.name === 'SQLite' ? join(dataFolder, 'mynah.db') : database.address;
    const databaseUrl = kind.name === 'SQLite' ? undefined : database.address;
    const db = await openDatabase(address);
    let next = new StandbyServer();
    try {
      await new SqlKeyStore(db).ensureAccount({ id: FIRST_ACCOUNT_ID, name: 'First', createdAtMs: 1 });
      const credit = { id: 'credit', accountId: FIRST_ACCOUNT_ID, amountNano: 1000 * NANO_PER_USD, memo: '' };
      await new SqlLedger(db).topUp(credit);
      for (let kill = 0; kill < kills; kill += 1) {
        const server = next;
        next = new StandbyServer();
        const serverAddress = await server.start({ dataFolder, databaseUrl });
        const killed = new AbortController();
        let clients: Promise<void>[] = [];
        const firstResponse = new Promise<void>((onResponse) => {
          // The same idempotency key is used across several servers.
          const options = { signal: killed.signal, repeatable: `k${kill >> 2}`, onResponse };
          clients = Array.from({ length: CLIENTS }, () => sendRequests(serverAddress, options));
        });
        if (kill % EARLY_EVERY !== 0) await firstResponse;
        await sleep(randomInt(RUN_MS_MAX));
        await server.kill();
        killed.abort();
        await Promise.all(clients);
        await assertConsistentLedger(db, `after kill ${kill + 1}`);
      }
      // After all holds have expired.
      const ledger = new SqlLedger(db, () => Date.now() + DAY_MS);
      while ((await ledger.expire()) > 0);
      const { problems, openHolds, transfers, chargedNano } = await ledger.verify();
      assert.deepEqual(problems, []);
      assert.equal(openHolds, 0);
      assert.ok(chargedNano > 0n, 'the traffic was charged');
      context.diagnostic(`${transfers} transfers, ${chargedNano} nano-dollars charged`);
    } finally {
      await next.kill();
      await db.destroy();
      await database.remove();
      await rm(dataFolder, { recursive: true, force: true });
    }
  });
}
