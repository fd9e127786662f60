import { setTimeout as sleep } from 'node:timers/promises';

/** Tables whose changes are announced. */
const TABLES = ['api_key', 'account', 'voice', 'audiobook_job'] as const;

/** A change of a row by any server or command; `all`: changes may have been missed. */
export type DatabaseChange =
  | { readonly table: (typeof TABLES)[number]; readonly id: string }
  | { readonly table: 'all' };

const CHANNEL = 'mynah_change';
const CONNECT_TIMEOUT_MS = 10_000;
const RECONNECT_MS = 1_000;
/** A lost network shows in no statement while no changes are announced. */
const PROBE_MS = 5_000;

/**
 * Listens for changes that PostgreSQL announces (migrations `0013-shared-state` and `0018-audiobook-deletions`), on a connection of its own. After each
 * connection it reports `all`. Whatever it reports is also found by polling: a notification only makes it faster.
 */
export class ChangeListener {
  readonly #address: string;
  readonly #onChange: (change: DatabaseChange) => void;
  readonly #closing = new AbortController();
  readonly #done: Promise<void>;

  constructor(address: string, onChange: (change: DatabaseChange) => void) {
    this.#address = address;
    this.#onChange = onChange;
    this.#done = this.#run();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#done;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await this.#listen(signal).catch(() => {});
      await sleep(RECONNECT_MS, undefined, { signal }).catch(() => {});
    }
  }

  /** Resolves or rejects when the connection is lost. */
  async #listen(signal: AbortSignal): Promise<void> {
    const { default: pg } = await import('pg');
    const client = new pg.Client({
      connectionString: this.#address,
      application_name: 'mynah changes',
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: CONNECT_TIMEOUT_MS,
    });
    const lost = new Promise<never>((_, reject) => client.on('error', reject));
    lost.catch(() => {});
    client.on('notification', ({ payload = '' }) => {
      const change = parseChange(payload);
      if (change !== undefined) this.#onChange(change);
    });
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      this.#onChange({ table: 'all' });
      while (!signal.aborted) {
        await Promise.race([lost, sleep(PROBE_MS, undefined, { signal })]);
        await client.query('select 1');
      }
    } finally {
      await client.end().catch(() => {});
    }
  }
}

function parseChange(payload: string): DatabaseChange | undefined {
  const [, name, id = ''] = /^(\w+) (\S{1,200})$/.exec(payload) ?? [];
  const table = TABLES.find((each) => each === name);
  return table && { table, id };
}
