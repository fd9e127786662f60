import { PermissionError, type Usage, type UsageItem, type UsageQuery } from 'mynah';
import { formatCsv } from '../domain/accounts/csv.ts';
import { USAGE_GROUPS, type UsageGroup } from '../domain/accounts/ledger/usage.ts';
import {
  BOOKS_HELP,
  type BooksCommand,
  type CommandContext,
  type OpenedCommand,
  parse,
  runSingleCommand,
  timeRange,
  UsageError,
} from './command.ts';
import { formatTable, toJson } from './table.ts';

const HELP = `Usage: mynah usage [--account ID] [--from DAY] [--to DAY] [--by LIST] [--json | --csv]

Sums what was used: speech in bytes of text, hearing in seconds. Without --from since the first of this month.
LIST names what to sum by: ${USAGE_GROUPS.join(', ')}. Without it: day,account,model.

${BOOKS_HELP}
Other keys see what their own account used.
`;

/** Runs `mynah usage …` and returns the exit status. */
export function runUsageCommand(args: string[], context: CommandContext): Promise<number> {
  return runSingleCommand(args, context, { help: HELP, run });
}

const run: BooksCommand = async (args, opened) => {
  const { values } = parse(args, {
    account: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    by: { type: 'string' },
    json: { type: 'boolean' },
    csv: { type: 'boolean' },
  });
  const groups = parseGroups(values.by);
  const usage = await sum(opened, { ...timeRange(values), account: values.account, groups });
  const { stdout } = opened;
  // Services are told apart even when nobody asks.
  const columns = USAGE_GROUPS.filter((group) => group === 'service' || groups.includes(group));
  const head = [...columns, 'requests', 'units', 'usd'];
  const rows = usage.items.map((item) => toRow(item, columns));
  if (values.json) stdout.write(toJson(usage));
  else if (values.csv) stdout.write(formatCsv(head, rows));
  else
    stdout.write(
      formatTable(
        head.map((name) => name.toUpperCase()),
        rows,
      ),
    );
  return 0;
};

/** What everybody used; through a server whose key is not an operator's, what its own account used. */
async function sum(
  { operator, client }: OpenedCommand,
  { account, groups, ...range }: UsageQuery & { account: string | undefined; groups: readonly UsageGroup[] },
): Promise<Usage> {
  try {
    const by = groups.join(',');
    return await operator.getUsage({ ...range, by, ...(account !== undefined && { account_id: account }) });
  } catch (error) {
    if (client === undefined || account !== undefined || !(error instanceof PermissionError)) throw error;
    return client.account.getUsage({ ...range, by: groups.filter((group) => group !== 'account').join(',') });
  }
}

function toRow(item: UsageItem, columns: readonly UsageGroup[]): string[] {
  const groups = columns.map((group) => item[group] ?? '');
  return [...groups, String(item.requests), String(item.units), item.cost];
}

function parseGroups(text = 'day,account,model'): UsageGroup[] {
  const names = text.split(',').map((part) => part.trim());
  const unknown = names.find((name) => !USAGE_GROUPS.includes(name as UsageGroup));
  if (unknown !== undefined)
    throw new UsageError(`--by knows no “${unknown}”; it takes ${USAGE_GROUPS.join(', ')}.`);
  return names as UsageGroup[];
}
