import { PermissionError, type Usage, type UsageItem, type UsageQuery } from 'mynah';
import { formatCsv } from '../../domain/accounts/csv.ts';
import { USAGE_GROUPS, type UsageGroup } from '../../domain/accounts/ledger/usage.ts';
import {
  type CommandContext,
  OPERATOR_HELP,
  type OperatorCommand,
  type OperatorContext,
  parse,
  runSingleCommand,
  timeRange,
  UsageError,
} from '../command.ts';
import { formatTable, toJson } from '../table.ts';

const HELP = `Usage: mynah usage [--account ID] [--from DAY] [--to DAY] [--by LIST] [--json | --csv]

Prints usage: speech in bytes of text, transcription in seconds of audio. --from defaults to the first day of this month.
LIST is a list of ${USAGE_GROUPS.join(', ')} to group by. Default: day,account,model.

${OPERATOR_HELP}
A key without that scope gets the usage of its own account.
`;

/** Runs `mynah usage …` and returns the exit status. */
export function runUsageCommand(args: string[], context: CommandContext): Promise<number> {
  return runSingleCommand(args, context, { help: HELP, run });
}

const run: OperatorCommand = async (args, opened) => {
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
  // Units of different services cannot be added, so the service is always a column.
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

/** The usage of all accounts; with a key without the scope admin, that of its own account. */
async function sum(
  { operator, client }: OperatorContext,
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
    throw new UsageError(`Unknown group “${unknown}” in --by. Groups: ${USAGE_GROUPS.join(', ')}.`);
  return names as UsageGroup[];
}
