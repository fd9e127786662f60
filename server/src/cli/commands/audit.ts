import {
  type CommandContext,
  OPERATOR_HELP,
  type OperatorCommand,
  parse,
  runSingleCommand,
  timeRange,
} from '../command.ts';

const HELP = `Usage: mynah audit [--account ID] [--from DAY] [--to DAY] [--json | --csv]

Prints the audit log, oldest first: changes of accounts, keys, credit and voices, with actor, source and time. The
format is JSON lines (the default) or CSV.

${OPERATOR_HELP}
`;

/** Runs `mynah audit …` and returns the exit status. */
export function runAuditCommand(args: string[], context: CommandContext): Promise<number> {
  return runSingleCommand(args, context, { help: HELP, run });
}

const run: OperatorCommand = async (args, { operator, stdout }) => {
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
