import { monthRange } from '../../domain/accounts/ledger/statement.ts';
import {
  type CommandContext,
  OPERATOR_HELP,
  type OperatorCommand,
  parse,
  runSubcommand,
  UsageError,
} from '../command.ts';
import { toJson } from '../table.ts';

const HELP = `Usage: mynah ledger <command>

  verify [--json]                        Recompute every balance and check that the ledger is consistent.
  statement ACCOUNT MONTH [--html]       Print the statement of a month, such as 2026-11, as CSV or HTML.

${OPERATOR_HELP}
`;

/** Runs `mynah ledger …` and returns the exit status: 1 when the ledger is inconsistent. */
export function runLedgerCommand(args: string[], context: CommandContext): Promise<number> {
  return runSubcommand(args, context, { help: HELP, commands: { verify, statement } });
}

const verify: OperatorCommand = async (args, { operator, stdout, stderr }) => {
  const { json } = parse(args, { json: { type: 'boolean' } }).values;
  const report = await operator.verifyLedger();
  const { is_balanced, problems, transfers, accounts, open_holds, charged } = report;
  if (json) stdout.write(toJson(report));
  else if (is_balanced) {
    stdout.write(
      `The ledger is consistent: ${transfers} transfers of ${accounts} accounts, ${open_holds} open holds, ${charged} USD charged.\n`,
    );
  } else {
    stderr.write(`The ledger is inconsistent:\n${problems.map((problem) => `  ${problem}\n`).join('')}`);
  }
  return is_balanced ? 0 : 1;
};

const statement: OperatorCommand = async (args, { operator, stdout }) => {
  const { values, positionals } = parse(args, { html: { type: 'boolean' } });
  const [id, month, ...more] = positionals;
  if (id === undefined || month === undefined || more.length > 0 || monthRange(month) === undefined) {
    throw new UsageError('statement takes an account and a month, such as 2026-11.');
  }
  stdout.write(await operator.getStatement(id, month, values.html ? 'html' : 'csv'));
  return 0;
};
