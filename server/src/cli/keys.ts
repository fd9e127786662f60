import { setTimeout as sleep } from 'node:timers/promises';
import { formatUsd, parseUsd } from '../billing/money.ts';
import { KEY_CACHE_MS, type KeyInfo } from '../keys/api-keys.ts';
import { SCOPES, type Scope } from '../keys/caller.ts';
import { FIRST_ACCOUNT_ID } from '../keys/first-key.ts';
import {
  type BooksCommand,
  type CommandContext,
  isoDay,
  isoTime,
  only,
  parse,
  runBooksCommand,
  UsageError,
} from './command.ts';
import { formatTable } from './table.ts';

const HELP = `Usage: mynah keys <command>

  create [--name NAME] [--account ID] [--days DAYS] [--scopes LIST] [--cap USD] [--per-minute COUNT]
      Make a key and print it, this once. It works for DAYS days, or for good, and may spend USD in all.
      Scopes: ${SCOPES.join(', ')}. Without --scopes: all but admin.
  list [--account ID] [--json]         Show all keys, but never the keys themselves.
  rotate PREFIX [--grace SECONDS]      Make a key like it; the old one works for SECONDS more (3600).
  revoke PREFIX                        Make a key useless, and close its connections.
`;

const DAY_MS = 86_400_000;
const DAYS_MAX = 36_500;
const GRACE_SECONDS = 3600;
const GRACE_SECONDS_MAX = 365 * 86_400;
const PER_MINUTE_MAX = 1_000_000;

/** Runs `mynah keys …` and returns the exit status. */
export function runKeysCommand(args: string[], context: CommandContext): Promise<number> {
  return runBooksCommand(args, context, { help: HELP, commands: COMMANDS });
}

const COMMANDS: Readonly<Record<string, BooksCommand>> = {
  async create(args, { books, actor, stdout, stderr }) {
    const {
      name = 'Unnamed',
      account = FIRST_ACCOUNT_ID,
      ...given
    } = parse(args, {
      name: { type: 'string' },
      account: { type: 'string' },
      days: { type: 'string' },
      scopes: { type: 'string' },
      cap: { type: 'string' },
      'per-minute': { type: 'string' },
    }).values;
    const days = number('--days', given.days, DAYS_MAX);
    if (account === FIRST_ACCOUNT_ID) {
      await books.keyStore.ensureAccount({ id: account, name: 'First account', createdAtMs: Date.now() });
    }
    const { key } = await books.administration.createKey(actor, {
      accountId: account,
      name,
      expiresAtMs: days === undefined ? undefined : Date.now() + days * DAY_MS,
      scopes: parseScopes(given.scopes),
      spendCapNano: parseCap(given.cap),
      requestsPerMinute: number('--per-minute', given['per-minute'], PER_MINUTE_MAX),
    });
    stderr.write('This is the only time the key is shown:\n');
    stdout.write(`${key}\n`);
    return 0;
  },

  async list(args, { books, stdout }) {
    const { json, account } = parse(args, { json: { type: 'boolean' }, account: { type: 'string' } }).values;
    const all = await books.administration.listKeys(account);
    stdout.write(json ? `${JSON.stringify(all.map(toJson), null, 2)}\n` : toTable(all));
    return 0;
  },

  async rotate(args, { books, actor, stdout, stderr }) {
    const { values, positionals } = parse(args, { grace: { type: 'string' } });
    const graceSeconds = number('--grace', values.grace, GRACE_SECONDS_MAX, 0) ?? GRACE_SECONDS;
    const prefix = only(positionals, 'the prefix of one key');
    const { key } = await books.administration.rotateKey(actor, prefix, graceSeconds * 1000);
    stderr.write(
      `${prefix} works for ${graceSeconds} more seconds. This is the only time the new key is shown:\n`,
    );
    stdout.write(`${key}\n`);
    return 0;
  },

  async revoke(args, { books, actor, stdout }) {
    const prefix = only(parse(args, {}).positionals, 'the prefix of one key');
    await books.administration.revokeKey(actor, prefix);
    // A running server may trust a key it has just seen for so long; after that nobody does.
    await sleep(KEY_CACHE_MS);
    stdout.write(`${prefix}  revoked\n`);
    return 0;
  },
};

function number(option: string, text: string | undefined, max: number, min = 1): number | undefined {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (text.trim() !== '' && Number.isFinite(count) && count >= min && count <= max) return count;
  throw new UsageError(`${option} takes a number from ${min} to ${max}.`);
}

function parseScopes(text: string | undefined): readonly Scope[] | undefined {
  const names = text?.split(/[\s,]+/).filter((name) => name !== '');
  const unknown = names?.find((name) => !SCOPES.includes(name as Scope));
  if (unknown !== undefined)
    throw new UsageError(`There is no scope “${unknown}”; there are ${SCOPES.join(', ')}.`);
  return names as Scope[] | undefined;
}

function parseCap(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const nano = parseUsd(text);
  if (nano === undefined || nano < 0) throw new UsageError('--cap takes US dollars, such as 12.50.');
  return nano;
}

function stateOf({ revokedAtMs, expiresAtMs }: KeyInfo): string {
  if (revokedAtMs !== undefined) return 'revoked';
  return expiresAtMs !== undefined && expiresAtMs <= Date.now() ? 'expired' : 'active';
}

function toJson(key: KeyInfo) {
  return {
    id: key.id,
    account_id: key.accountId,
    name: key.name,
    prefix: key.prefix,
    state: stateOf(key),
    scopes: key.scopes,
    spend_cap: key.spendCapNano === undefined ? null : formatUsd(key.spendCapNano),
    requests_per_minute: key.requestsPerMinute ?? null,
    created_at: isoTime(key.createdAtMs),
    expires_at: isoTime(key.expiresAtMs),
    revoked_at: isoTime(key.revokedAtMs),
    last_used_at: isoTime(key.lastUsedAtMs),
  };
}

function toTable(keys: readonly KeyInfo[]): string {
  return formatTable(
    ['PREFIX', 'NAME', 'STATE', 'ACCOUNT', 'CREATED', 'EXPIRES', 'LAST USED', 'SCOPES'],
    keys.map((key) => [
      key.prefix,
      key.name,
      stateOf(key),
      key.accountId,
      isoDay(key.createdAtMs),
      isoDay(key.expiresAtMs),
      isoDay(key.lastUsedAtMs),
      key.scopes.join(' '),
    ]),
  );
}
