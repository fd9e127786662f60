import {
  BOOKS_HELP,
  type BooksCommand,
  type CommandContext,
  parse,
  runSingleCommand,
  timeRange,
} from './command.ts';

const HELP = `Usage: mynah audit [--account ID] [--from DAY] [--to DAY] [--json | --csv]

Prints who created, rotated, revoked, topped up, cloned or deleted what, when and from where, oldest first, as
JSON lines (the default) or CSV.

${BOOKS_HELP}
`;

/** Runs `mynah audit …` and returns the exit status. */
export function runAuditCommand(args: string[], context: CommandContext): Promise<number> {
  return runSingleCommand(args, context, { help: HELP, run });
}

const run: BooksCommand = async (args, { operator, stdout }) => {
  const { values } = parse(args, {
    account: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    json: { type: 'boolean' },
    csv: { type: 'boolean' },
  });
  const log = await operator.getAudit({
    ...timeRange(values),
    ...(values.account !== undefined && { account_id: values.account }),
    format: values.csv ? 'csv' : 'jsonl',
  });
  stdout.write(log);
  return 0;
};
