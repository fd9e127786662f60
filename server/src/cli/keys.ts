import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Config } from '../config.ts';
import { type ApiKeys, createApiKeys, type KeyInfo } from '../keys/api-keys.ts';
import { FIRST_ACCOUNT_ID } from '../keys/first-key.ts';
import { openDatabase } from '../storage/database.ts';
import { SqlKeyStore } from '../storage/sql-key-store.ts';
import { formatTable } from './table.ts';

export interface KeysCommandContext {
  readonly config: Pick<Config, 'dataFolder'>;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

const HELP = `Usage: mynah keys <command>

  create [--name NAME] [--days DAYS]   Make a key and print it, this once. It works for DAYS days, or for good.
  list [--json]                        Show all keys, but never the keys themselves.
  revoke PREFIX                        Make a key useless; a running server notices within seconds.
`;

const DAY_MS = 86_400_000;
const DAYS_MAX = 36_500;

class UsageError extends Error {}

/** Runs `mynah keys …` and returns the exit status. */
export async function runKeysCommand(args: string[], context: KeysCommandContext): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h') {
    context[name === undefined ? 'stderr' : 'stdout'].write(HELP);
    return name === undefined ? 2 : 0;
  }
  try {
    const run = COMMANDS[name];
    if (run === undefined) throw new UsageError(`There is no command “${name}”.`);
    return await withKeys(context.config, (keys, store) => run(rest, { ...context, keys, store }));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    context.stderr.write(`${error.message}\n\n${HELP}`);
    return 2;
  }
}

interface Opened extends KeysCommandContext {
  readonly keys: ApiKeys;
  readonly store: SqlKeyStore;
}

const COMMANDS: Readonly<Record<string, (args: string[], opened: Opened) => Promise<number>>> = {
  async create(args, { keys, store, stdout, stderr }) {
    const { name = 'Unnamed', days } = parse(args, {
      name: { type: 'string' },
      days: { type: 'string' },
    }).values;
    const expiresAtMs = days === undefined ? undefined : Date.now() + parseDays(days) * DAY_MS;
    await store.ensureAccount({ id: FIRST_ACCOUNT_ID, name: 'First account', createdAtMs: Date.now() });
    const { key } = await keys.create({ accountId: FIRST_ACCOUNT_ID, name, expiresAtMs });
    stderr.write('This is the only time the key is shown:\n');
    stdout.write(`${key}\n`);
    return 0;
  },

  async list(args, { keys, stdout }) {
    const { json } = parse(args, { json: { type: 'boolean' } }).values;
    const all = await keys.list();
    stdout.write(json ? `${JSON.stringify(all.map(toJson), null, 2)}\n` : toTable(all));
    return 0;
  },

  async revoke(args, { keys, stdout, stderr }) {
    const [prefix, ...more] = parse(args, {}).positionals;
    if (prefix === undefined || more.length > 0) throw new UsageError('revoke needs the prefix of one key.');
    if (await keys.revoke(prefix)) {
      stdout.write(`${prefix}  revoked\n`);
      return 0;
    }
    stderr.write(`There is no key ${prefix}; mynah keys list shows all of them.\n`);
    return 1;
  },
};

async function withKeys(
  config: Pick<Config, 'dataFolder'>,
  work: (keys: ApiKeys, store: SqlKeyStore) => Promise<number>,
): Promise<number> {
  const db = await openDatabase(join(config.dataFolder, 'mynah.db'));
  try {
    const store = new SqlKeyStore(db);
    return await work(createApiKeys({ store }), store);
  } finally {
    await db.destroy();
  }
}

type Options = Record<string, { readonly type: 'string' | 'boolean' }>;

function parse<Given extends Options>(args: string[], options: Given) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function parseDays(days: string): number {
  const count = Number(days);
  if (Number.isFinite(count) && count > 0 && count <= DAYS_MAX) return count;
  throw new UsageError(`--days takes a number from 1 to ${DAYS_MAX}.`);
}

function stateOf({ revokedAtMs, expiresAtMs }: KeyInfo): string {
  if (revokedAtMs !== undefined) return 'revoked';
  return expiresAtMs !== undefined && expiresAtMs <= Date.now() ? 'expired' : 'active';
}

function toJson(key: KeyInfo) {
  const time = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());
  return {
    id: key.id,
    account_id: key.accountId,
    name: key.name,
    prefix: key.prefix,
    state: stateOf(key),
    created_at: time(key.createdAtMs),
    expires_at: time(key.expiresAtMs),
    revoked_at: time(key.revokedAtMs),
    last_used_at: time(key.lastUsedAtMs),
  };
}

function toTable(keys: readonly KeyInfo[]): string {
  const day = (ms: number | undefined) => (ms === undefined ? '-' : new Date(ms).toISOString().slice(0, 10));
  return formatTable(
    ['PREFIX', 'NAME', 'STATE', 'CREATED', 'EXPIRES', 'LAST USED'],
    keys.map((key) => [
      key.prefix,
      key.name,
      stateOf(key),
      day(key.createdAtMs),
      day(key.expiresAtMs),
      day(key.lastUsedAtMs),
    ]),
  );
}
