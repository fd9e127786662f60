import { formatUsd } from '../billing/money.ts';
import { makeStatement, monthRange } from '../billing/statement.ts';
import { statementCsv, statementHtml } from '../billing/statement-formats.ts';
import { type BooksCommand, type CommandContext, parse, runBooksCommand, UsageError } from './command.ts';

const HELP = `Usage: mynah ledger <command>

  verify [--json]                        Recompute every balance and prove that the books balance.
  statement ACCOUNT MONTH [--html]       Print the statement of a month, such as 2026-11, as CSV or as a page.
`;

/** Runs `mynah ledger …` and returns the exit status: 1 when the books do not balance. */
export function runLedgerCommand(args: string[], context: CommandContext): Promise<number> {
  return runBooksCommand(args, context, { help: HELP, commands: { verify, statement } });
}

const verify: BooksCommand = async (args, { books, stdout, stderr }) => {
  const { json } = parse(args, { json: { type: 'boolean' } }).values;
  const { problems, chargedNano, accounts, transfers, openHolds } = await books.accounting.ledger.verify();
  const charged = formatUsd(Number(chargedNano));
  if (json) {
    const report = { accounts, transfers, open_holds: openHolds, charged, problems };
    stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  } else if (problems.length === 0) {
    stdout.write(
      `The books balance: ${transfers} transfers of ${accounts} accounts, ${openHolds} open holds, ${charged} USD charged.\n`,
    );
  } else {
    stderr.write(`The books do not balance:\n${problems.map((problem) => `  ${problem}\n`).join('')}`);
  }
  return problems.length === 0 ? 0 : 1;
};

const statement: BooksCommand = async (args, { books, stdout }) => {
  const { values, positionals } = parse(args, { html: { type: 'boolean' } });
  const [id, month, ...more] = positionals;
  if (id === undefined || month === undefined || more.length > 0 || monthRange(month) === undefined) {
    throw new UsageError('statement takes an account and a month, such as 2026-11.');
  }
  const account = await books.administration.requireAccount(id);
  const made = await makeStatement(books.accounting, account, month);
  stdout.write(values.html ? statementHtml(made) : statementCsv(made));
  return 0;
};
