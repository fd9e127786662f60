import { auditHead, auditLine, toAuditBody } from '../keys/audit-formats.ts';
import { type BooksCommand, type CommandContext, parse, parseTime, runSingleCommand } from './command.ts';

const HELP = `Usage: mynah audit [--account ID] [--from DAY] [--to DAY] [--csv]

Prints who created, rotated, revoked, topped up, cloned or deleted what, when and from where, oldest first, as
JSON lines or CSV.
`;

/** Runs `mynah audit …` and returns the exit status. */
export function runAuditCommand(args: string[], context: CommandContext): Promise<number> {
  return runSingleCommand(args, context, { help: HELP, run });
}

const run: BooksCommand = async (args, { books, stdout }) => {
  const { values } = parse(args, {
    account: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    csv: { type: 'boolean' },
  });
  const events = books.audit.read({
    accountId: values.account,
    fromMs: parseTime('--from', values.from) ?? 0,
    toMs: parseTime('--to', values.to) ?? Date.now() + 1,
  });
  if (values.csv) stdout.write(auditHead());
  for await (const event of events) {
    stdout.write(values.csv ? auditLine(event) : `${JSON.stringify(toAuditBody(event))}\n`);
  }
  return 0;
};
