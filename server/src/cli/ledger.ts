import { monthRange } from '../domain/accounts/ledger/statement.ts';
import {
  BOOKS_HELP,
  type BooksCommand,
  type CommandContext,
  parse,
  runBooksCommand,
  UsageError,
} from './command.ts';
import { toJson } from './table.ts';

const HELP = `Usage: mynah ledger <command>

  verify [--json]                        Recompute every balance and prove that the books balance.
  statement ACCOUNT MONTH [--html]       Print the statement of a month, such as 2026-11, as CSV or as a page.

${BOOKS_HELP}
`;

/** Runs `mynah ledger …` and returns the exit status: 1 when the books do not balance. */
export function runLedgerCommand(args: string[], context: CommandContext): Promise<number> {
  return runBooksCommand(args, context, { help: HELP, commands: { verify, statement } });
}

const verify: BooksCommand = async (args, { operator, stdout, stderr }) => {
  const { json } = parse(args, { json: { type: 'boolean' } }).values;
  const report = await operator.verifyLedger();
  const { is_balanced, problems, transfers, accounts, open_holds, charged } = report;
  if (json) stdout.write(toJson(report));
  else if (is_balanced) {
    stdout.write(
      `The books balance: ${transfers} transfers of ${accounts} accounts, ${open_holds} open holds, ${charged} USD charged.\n`,
    );
  } else {
    stderr.write(`The books do not balance:\n${problems.map((problem) => `  ${problem}\n`).join('')}`);
  }
  return is_balanced ? 0 : 1;
};

const statement: BooksCommand = async (args, { operator, stdout }) => {
  const { values, positionals } = parse(args, { html: { type: 'boolean' } });
  const [id, month, ...more] = positionals;
  if (id === undefined || month === undefined || more.length > 0 || monthRange(month) === undefined) {
    throw new UsageError('statement takes an account and a month, such as 2026-11.');
  }
  stdout.write(await operator.getStatement(id, month, values.html ? 'html' : 'csv'));
  return 0;
};
