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

/** How often the server is killed, over all databases. CI does it 200 times. */
const KILLS = Number(process.env.MYNAH_TEST_KILLS ?? 20);
/** Most of them on SQLite, which lives in the process that is killed. */
const SHARE = { SQLite: 0.75, PostgreSQL: 0.25 } as const;
const CLIENTS = 6;
const LIFE_MS_MAX = 200;
/** One in so many is killed while it starts; the others when they have begun to answer. */
const EARLY_EVERY = 5;

const MAIN = fileURLToPath(new URL('../support/prepaid-server-main.js', import.meta.url));

interface Address {
  readonly url: string;
  readonly key: string;
}

/** A server that is loaded but has opened nothing yet. */
class Standby {
  readonly #child: ChildProcess = spawn(process.execPath, [MAIN], { stdio: ['pipe', 'pipe', 'inherit'] });

  async start(where: {
    readonly dataFolder: string;
    readonly databaseUrl: string | undefined;
  }): Promise<Address> {
    this.#child.stdin!.write(`${JSON.stringify(where)}\n`);
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

/** Asks for paid things of all kinds, and says when one was paid for, until the server is gone; what fails then is no surprise. */
async function keepBusy(
  { url, key }: Address,
  { signal, repeatable, onAnswer }: { signal: AbortSignal; repeatable: string; onAnswer: () => void },
): Promise<void> {
  const post = (path: string, body: object, headers: Record<string, string> = {}, leave?: AbortSignal) =>
    fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: leave ?? signal,
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
      () => kind === 0 && onAnswer(),
      () => sleep(1),
    );
  }
}

async function expectCleanBooks(db: Database, when: string): Promise<void> {
  const { problems } = await new SqlLedger(db).verify();
  assert.deepEqual(problems, [], when);
}

for (const kind of DATABASE_KINDS) {
  const kills = Math.ceil(KILLS * SHARE[kind.name]);
  test(`${kind.name}: a server that is killed ${kills} times during paid traffic leaves clean books each time`, async (context) => {
    const database = await kind.create();
    if (database === undefined) return skipWithout('postgres', context, `${kind.name} is not installed.`);
    const dataFolder = await mkdtemp(join(tmpdir(), 'mynah-kill-'));
    const address = kind.name === 'SQLite' ? join(dataFolder, 'mynah.db') : database.address;
    const databaseUrl = kind.name === 'SQLite' ? undefined : database.address;
    const db = await openDatabase(address);
    let next = new Standby();
    try {
      await new SqlKeyStore(db).ensureAccount({ id: FIRST_ACCOUNT_ID, name: 'First', createdAtMs: 1 });
      const credit = { id: 'credit', accountId: FIRST_ACCOUNT_ID, amountNano: 1000 * NANO_PER_USD, memo: '' };
      await new SqlLedger(db).topUp(credit);
      for (let kill = 0; kill < kills; kill += 1) {
        const server = next;
        next = new Standby();
        const where = await server.start({ dataFolder, databaseUrl });
        const over = new AbortController();
        let clients: Promise<void>[] = [];
        const answered = new Promise<void>((onAnswer) => {
          // The request with an idempotency key outlives several servers.
          const options = { signal: over.signal, repeatable: `k${kill >> 2}`, onAnswer };
          clients = Array.from({ length: CLIENTS }, () => keepBusy(where, options));
        });
        if (kill % EARLY_EVERY !== 0) await answered;
        await sleep(randomInt(LIFE_MS_MAX));
        await server.kill();
        over.abort();
        await Promise.all(clients);
        await expectCleanBooks(db, `after kill ${kill + 1}`);
      }
      const ledger = new SqlLedger(db);
      while ((await ledger.expire(Number.MAX_SAFE_INTEGER)) > 0);
      const { problems, openHolds, transfers, chargedNano } = await ledger.verify();
      assert.deepEqual(problems, []);
      assert.equal(openHolds, 0);
      assert.ok(chargedNano > 0n, 'something was sold');
      context.diagnostic(`${transfers} transfers, ${chargedNano} nano-dollars charged`);
    } finally {
      await next.kill();
      await db.destroy();
      await database.remove();
      await rm(dataFolder, { recursive: true, force: true });
    }
  });
}
