import { formatUsd } from '../billing/money.ts';
import { type BooksCommand, type CommandContext, parse, runBooksCommand } from './command.ts';

const HELP = `Usage: mynah ledger <command>

  verify [--json]    Recompute every balance from the transfers and prove that the books balance.
`;

/** Runs `mynah ledger …` and returns the exit status: 1 when the books do not balance. */
export function runLedgerCommand(args: string[], context: CommandContext): Promise<number> {
  return runBooksCommand(args, context, { help: HELP, commands: { verify } });
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
