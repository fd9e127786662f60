import type { AdminKey } from 'mynah';
import { SCOPES, type Scope } from '../../domain/accounts/caller.ts';
import { FIRST_ACCOUNT_ID } from '../../domain/accounts/keys/first-key.ts';
import { parseUsd } from '../../domain/accounts/ledger/money.ts';
import {
  type CommandContext,
  dayOf,
  OPERATOR_HELP,
  type OperatorCommand,
  parse,
  requireOne,
  runSubcommand,
  UsageError,
} from '../command.ts';
import { formatTable, toJson } from '../table.ts';

const HELP = `Usage: mynah keys <command>

  create [--name NAME] [--account ID] [--days DAYS] [--scopes LIST] [--cap USD] [--per-minute COUNT]
      Create a key and print it; it is not shown again. --days sets its lifetime (default: unlimited), --cap its
      spend cap.
      Scopes: ${SCOPES.join(', ')}. Without --scopes: all but keys:write, metrics and admin.
  list [--account ID] [--json]         List all keys, without their secrets.
  rotate PREFIX [--grace SECONDS]      Create a successor; the old key works for another SECONDS (default 3600).
  revoke PREFIX                        Revoke a key and close its connections.

All commands accept --json. ${OPERATOR_HELP}
`;

const DAY_MS = 86_400_000;
const DAYS_MAX = 36_500;
const GRACE_SECONDS = 3600;
const GRACE_SECONDS_MAX = 365 * 86_400;
const PER_MINUTE_MAX = 1_000_000;

/** Runs `mynah keys …` and returns the exit status. */
export function runKeysCommand(args: string[], context: CommandContext): Promise<number> {
  return runSubcommand(args, context, { help: HELP, commands: COMMANDS });
}

const COMMANDS: Readonly<Record<string, OperatorCommand>> = {
  async create(args, { operator, stdout, stderr }) {
    const {
      name = 'Unnamed',
      account = FIRST_ACCOUNT_ID,
      json,
      ...given
    } = parse(args, {
      name: { type: 'string' },
      account: { type: 'string' },
      days: { type: 'string' },
      scopes: { type: 'string' },
      cap: { type: 'string' },
      'per-minute': { type: 'string' },
      json: { type: 'boolean' },
    }).values;
    const days = parseNumber('--days', given.days, DAYS_MAX);
    const created = await operator.createKey({
      account_id: account,
      name,
      expires_at: days === undefined ? null : new Date(Date.now() + days * DAY_MS).toISOString(),
      scopes: parseScopes(given.scopes),
      spend_cap: parseCap(given.cap),
      requests_per_minute: parseNumber('--per-minute', given['per-minute'], PER_MINUTE_MAX) ?? null,
    });
    if (!json) stderr.write('The key is shown only once:\n');
    stdout.write(json ? toJson(created) : `${created.key}\n`);
    return 0;
  },

  async list(args, { operator, stdout }) {
    const { json, account } = parse(args, { json: { type: 'boolean' }, account: { type: 'string' } }).values;
    const keys = await operator.listKeys(account === undefined ? {} : { account_id: account });
    stdout.write(json ? toJson(keys.map((key) => ({ ...key, state: stateOf(key) }))) : toTable(keys));
    return 0;
  },

  async rotate(args, { operator, stdout, stderr }) {
    const { values, positionals } = parse(args, { grace: { type: 'string' }, json: { type: 'boolean' } });
    const graceSeconds = parseNumber('--grace', values.grace, GRACE_SECONDS_MAX, 0) ?? GRACE_SECONDS;
    const prefix = requireOne(positionals, 'the prefix of one key');
    const created = await operator.rotateKey(prefix, { grace_seconds: graceSeconds });
    if (!values.json) {
      stderr.write(`${prefix} works for another ${graceSeconds} seconds. The new key is shown only once:\n`);
    }
    stdout.write(values.json ? toJson(created) : `${created.key}\n`);
    return 0;
  },

  async revoke(args, { operator, stdout }) {
    const { values, positionals } = parse(args, { json: { type: 'boolean' } });
    const prefix = requireOne(positionals, 'the prefix of one key');
    const key = await operator.revokeKey(prefix);
    stdout.write(values.json ? toJson({ ...key, state: stateOf(key) }) : `${prefix}  revoked\n`);
    return 0;
  },
};

function parseNumber(option: string, text: string | undefined, max: number, min = 1): number | undefined {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (text.trim() !== '' && Number.isFinite(count) && count >= min && count <= max) return count;
  throw new UsageError(`${option} takes a number from ${min} to ${max}.`);
}

function parseScopes(text: string | undefined): readonly Scope[] | undefined {
  const names = text?.split(/[\s,]+/).filter((name) => name !== '');
  const unknown = names?.find((name) => !SCOPES.includes(name as Scope));
  if (unknown !== undefined)
    throw new UsageError(`Unknown scope “${unknown}”. Scopes: ${SCOPES.join(', ')}.`);
  return names as Scope[] | undefined;
}

function parseCap(text: string | undefined): string | null {
  if (text === undefined) return null;
  const nano = parseUsd(text);
  if (nano === undefined || nano < 0) throw new UsageError('--cap takes US dollars, such as 12.50.');
  return text;
}

function stateOf({ revoked_at, expires_at }: AdminKey): string {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && Date.parse(expires_at) <= Date.now() ? 'expired' : 'active';
}

function toTable(keys: readonly AdminKey[]): string {
  return formatTable(
    ['PREFIX', 'NAME', 'STATE', 'ACCOUNT', 'CREATED', 'EXPIRES', 'LAST USED', 'SCOPES'],
    keys.map((key) => [
      key.prefix,
      key.name,
      stateOf(key),
      key.account_id,
      dayOf(key.created_at),
      dayOf(key.expires_at),
      dayOf(key.last_used_at),
      key.scopes.join(' '),
    ]),
  );
}
