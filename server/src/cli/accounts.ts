import { formatUsd, parseUsd } from '../billing/money.ts';
import {
  type BooksCommand,
  type CommandContext,
  isoDay,
  isoTime,
  only,
  parse,
  runBooksCommand,
  runSingleCommand,
  UsageError,
} from './command.ts';
import { formatTable } from './table.ts';

const HELP = `Usage: mynah accounts <command>

  create --name NAME [--member NAME…] [--concurrency COUNT]   Make an account and print its id.
  list [--json]                                               Show all accounts and what they own.
  delete ID --yes    Revoke its keys and delete its voices, audio and texts. The money trail stays.
`;

const TOP_UP_HELP = `Usage: mynah topup ACCOUNT USD [--id ID] [--memo TEXT]

Adds credit to an account. The same ID twice books once.
`;

const CONCURRENCY_MAX = 100_000;

/** Runs `mynah accounts …` and returns the exit status. */
export function runAccountsCommand(args: string[], context: CommandContext): Promise<number> {
  return runBooksCommand(args, context, { help: HELP, commands: COMMANDS });
}

/** Runs `mynah topup …` and returns the exit status. */
export function runTopUpCommand(args: string[], context: CommandContext): Promise<number> {
  return runSingleCommand(args, context, { help: TOP_UP_HELP, run: topUp });
}

const topUp: BooksCommand = async (args, { books, actor, stdout }) => {
  const { values, positionals } = parse(args, { id: { type: 'string' }, memo: { type: 'string' } });
  const [accountId, usd, ...more] = positionals;
  const amountNano = parseUsd(usd ?? '');
  if (accountId === undefined || more.length > 0 || amountNano === undefined || amountNano <= 0) {
    throw new UsageError('topup takes an account and US dollars, such as 25 or 12.50.');
  }
  const wallet = await books.administration.topUp(actor, { ...values, accountId, amountNano });
  stdout.write(`${accountId}  ${formatUsd(wallet.availableNano)} USD available\n`);
  return 0;
};

const COMMANDS: Readonly<Record<string, BooksCommand>> = {
  async create(args, { books, actor, stdout }) {
    const { name, member, concurrency } = parse(args, {
      name: { type: 'string' },
      member: { type: 'string', multiple: true },
      concurrency: { type: 'string' },
    }).values;
    if (name === undefined || name.trim() === '') throw new UsageError('create needs --name.');
    const concurrencyMax = concurrency === undefined ? undefined : Number(concurrency);
    if (
      concurrencyMax !== undefined &&
      !(Number.isInteger(concurrencyMax) && concurrencyMax >= 1 && concurrencyMax <= CONCURRENCY_MAX)
    ) {
      throw new UsageError(`--concurrency takes a whole number from 1 to ${CONCURRENCY_MAX}.`);
    }
    const { id } = await books.administration.createAccount(actor, { name, members: member, concurrencyMax });
    stdout.write(`${id}\n`);
    return 0;
  },

  async list(args, { books, stdout }) {
    const { json } = parse(args, { json: { type: 'boolean' } }).values;
    const { administration } = books;
    const accounts = await administration.listAccounts();
    const rows = await Promise.all(
      accounts.map(async (account) => ({ account, wallet: await administration.wallet(account.id) })),
    );
    const shown = rows.map(({ account, wallet }) => ({
      id: account.id,
      name: account.name,
      members: account.members,
      concurrency_max: account.concurrencyMax ?? null,
      available: formatUsd(wallet.availableNano),
      held: formatUsd(wallet.heldNano),
      spent: formatUsd(wallet.spentNano),
      topped_up: formatUsd(wallet.toppedUpNano),
      created_at: isoTime(account.createdAtMs),
      deleted_at: isoTime(account.deletedAtMs),
    }));
    const table = () =>
      formatTable(
        ['ID', 'NAME', 'AVAILABLE', 'HELD', 'SPENT', 'PAID IN', 'CREATED', 'DELETED'],
        rows.map(({ account, wallet }) => [
          account.id,
          account.name,
          formatUsd(wallet.availableNano),
          formatUsd(wallet.heldNano),
          formatUsd(wallet.spentNano),
          formatUsd(wallet.toppedUpNano),
          isoDay(account.createdAtMs),
          isoDay(account.deletedAtMs),
        ]),
      );
    stdout.write(json ? `${JSON.stringify(shown, null, 2)}\n` : table());
    return 0;
  },

  async delete(args, { books, actor, stdout }) {
    const { values, positionals } = parse(args, { yes: { type: 'boolean' } });
    const id = only(positionals, 'the id of one account');
    if (values.yes !== true)
      throw new UsageError(`This deletes all data of ${id} for good. Add --yes to do it.`);
    await books.administration.deleteAccount(actor, id);
    stdout.write(`${id}  deleted\n`);
    return 0;
  },
};
