import { formatUsd } from '../billing/money.ts';
import { USAGE_GROUPS, type UsageGroup } from '../billing/usage.ts';
import { toUsageBody, toUsageCsv, usageRange } from '../http/schemas/usage.ts';
import {
  type BooksCommand,
  type CommandContext,
  parse,
  parseTime,
  runSingleCommand,
  UsageError,
} from './command.ts';
import { formatTable } from './table.ts';

const HELP = `Usage: mynah usage [--account ID] [--from DAY] [--to DAY] [--by LIST] [--json | --csv]

Sums what was used: speech in bytes of text, hearing in seconds. Without --from since the first of this month.
LIST names what to sum by: ${USAGE_GROUPS.join(', ')}. Without it: day,account,model.
`;

/** Runs `mynah usage …` and returns the exit status. */
export function runUsageCommand(args: string[], context: CommandContext): Promise<number> {
  return runSingleCommand(args, context, { help: HELP, run });
}

const run: BooksCommand = async (args, { books, stdout }) => {
  const { values } = parse(args, {
    account: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    by: { type: 'string' },
    json: { type: 'boolean' },
    csv: { type: 'boolean' },
  });
  const range = usageRange(
    { from: parseTime('--from', values.from), to: parseTime('--to', values.to), by: parseGroups(values.by) },
    Date.now(),
  );
  const sums = await books.accounting.usage.sum({ accountId: values.account, ...range });
  if (values.json) stdout.write(`${JSON.stringify(toUsageBody(sums, range), null, 2)}\n`);
  else if (values.csv) stdout.write(toUsageCsv(sums, range.by));
  else {
    stdout.write(
      formatTable(
        [...range.by.map((group) => group.toUpperCase()), 'REQUESTS', 'UNITS', 'USD'],
        sums.map((sum) => [
          ...range.by.map((group) => sum[group] ?? ''),
          String(sum.requests),
          String(sum.units),
          formatUsd(sum.costNano),
        ]),
      ),
    );
  }
  return 0;
};

function parseGroups(text = 'day,account,model'): UsageGroup[] {
  const names = text.split(',').map((part) => part.trim());
  const unknown = names.find((name) => !USAGE_GROUPS.includes(name as UsageGroup));
  if (unknown !== undefined)
    throw new UsageError(`--by knows no “${unknown}”; it takes ${USAGE_GROUPS.join(', ')}.`);
  return names as UsageGroup[];
}
