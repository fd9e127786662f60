import type { AccountChange } from 'mynah';
import { parseUsd } from '../../domain/accounts/ledger/money.ts';
import {
  type CommandContext,
  dayOf,
  OPERATOR_HELP,
  type OperatorCommand,
  parse,
  requireOne,
  runSingleCommand,
  runSubcommand,
  UsageError,
} from '../command.ts';
import { formatTable, toJson } from '../table.ts';

const HELP = `Usage: mynah accounts <command>

  create --name NAME [--member NAME…] [--concurrency COUNT] [--watermark on|off] [--json]
                     Create an account and print its id.
  list [--json]      List all accounts with their balances.
  change ID [--name NAME] [--member NAME…] [--concurrency COUNT] [--watermark on|off] [--json]
                     Change an account. --watermark on adds an inaudible watermark to its speech; see mynah watermark.
  delete ID --yes    Revoke its keys and delete its voices, audio and texts. Transfers, usage and audit log remain.

${OPERATOR_HELP}
`;

const TOP_UP_HELP = `Usage: mynah topup ACCOUNT USD [--id ID] [--memo TEXT] [--json]

Adds credit to an account. Repeating the command with the same ID has no effect.

${OPERATOR_HELP}
`;

const CONCURRENCY_MAX = 100_000;

/** Runs `mynah accounts …` and returns the exit status. */
export function runAccountsCommand(args: string[], context: CommandContext): Promise<number> {
  return runSubcommand(args, context, { help: HELP, commands: COMMANDS });
}

/** Runs `mynah topup …` and returns the exit status. */
export function runTopUpCommand(args: string[], context: CommandContext): Promise<number> {
  return runSingleCommand(args, context, { help: TOP_UP_HELP, run: topUp });
}

const topUp: OperatorCommand = async (args, { operator, stdout }) => {
  const { values, positionals } = parse(args, {
    id: { type: 'string' },
    memo: { type: 'string' },
    json: { type: 'boolean' },
  });
  const [accountId, usd = '', ...more] = positionals;
  const amountNano = parseUsd(usd);
  if (accountId === undefined || more.length > 0 || amountNano === undefined || amountNano <= 0) {
    throw new UsageError('topup takes an account and US dollars, such as 25 or 12.50.');
  }
  const { id, memo, json } = values;
  const account = await operator.bookCredit(accountId, { kind: 'top_up', usd, id, memo });
  stdout.write(json ? toJson(account) : `${accountId}  ${account.wallet.available} USD available\n`);
  return 0;
};

const ACCOUNT_OPTIONS = {
  name: { type: 'string' },
  member: { type: 'string', multiple: true },
  concurrency: { type: 'string' },
  watermark: { type: 'string' },
  json: { type: 'boolean' },
} as const;

/** The fields of an account from the options. */
function parseAccountFields(options: {
  readonly name?: string;
  readonly member?: string[];
  readonly concurrency?: string;
  readonly watermark?: string;
}): AccountChange {
  const { name, member: members, concurrency, watermark } = options;
  const concurrencyMax = Number(concurrency);
  const isCount =
    Number.isInteger(concurrencyMax) && concurrencyMax >= 1 && concurrencyMax <= CONCURRENCY_MAX;
  if (concurrency !== undefined && !isCount) {
    throw new UsageError(`--concurrency takes a whole number from 1 to ${CONCURRENCY_MAX}.`);
  }
  if (watermark !== undefined && watermark !== 'on' && watermark !== 'off') {
    throw new UsageError('--watermark takes on or off.');
  }
  return {
    ...(name !== undefined && { name }),
    ...(members !== undefined && { members }),
    ...(concurrency !== undefined && { concurrency_max: concurrencyMax }),
    ...(watermark !== undefined && { watermark: watermark === 'on' }),
  };
}

const COMMANDS: Readonly<Record<string, OperatorCommand>> = {
  async create(args, { operator, stdout }) {
    const { values } = parse(args, ACCOUNT_OPTIONS);
    const { name, ...fields } = parseAccountFields(values);
    if (name === undefined || name.trim() === '') throw new UsageError('create needs --name.');
    const account = await operator.createAccount({ name, ...fields });
    stdout.write(values.json ? toJson(account) : `${account.id}\n`);
    return 0;
  },

  async change(args, { operator, stdout }) {
    const { values, positionals } = parse(args, ACCOUNT_OPTIONS);
    const id = requireOne(positionals, 'the id of one account');
    const fields = parseAccountFields(values);
    if (Object.keys(fields).length === 0) throw new UsageError('change needs at least one option.');
    const account = await operator.updateAccount(id, fields);
    stdout.write(values.json ? toJson(account) : `${id}  changed\n`);
    return 0;
  },

  async list(args, { operator, stdout }) {
    const { json } = parse(args, { json: { type: 'boolean' } }).values;
    const accounts = await operator.listAccounts();
    const table = () =>
      formatTable(
        ['ID', 'NAME', 'AVAILABLE', 'HELD', 'SPENT', 'PAID IN', 'CREATED', 'DELETED'],
        accounts.map(({ id, name, wallet, created_at, deleted_at }) => [
          id,
          name,
          wallet.available,
          wallet.held,
          wallet.spent,
          wallet.topped_up,
          dayOf(created_at),
          dayOf(deleted_at),
        ]),
      );
    stdout.write(json ? toJson(accounts) : table());
    return 0;
  },

  async delete(args, { operator, stdout }) {
    const { values, positionals } = parse(args, { yes: { type: 'boolean' }, json: { type: 'boolean' } });
    const id = requireOne(positionals, 'the id of one account');
    if (values.yes !== true)
      throw new UsageError(`This permanently deletes all data of ${id}. Add --yes to confirm.`);
    const account = await operator.deleteAccount(id);
    stdout.write(values.json ? toJson(account) : `${id}  deleted\n`);
    return 0;
  },
};
