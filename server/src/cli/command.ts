import { parseArgs } from 'node:util';
import { Mynah } from 'mynah';
import type { Config, Environment } from '../config/config.ts';
import { explain } from './expected-errors.ts';
import type { Operator } from './operator.ts';
import { findServer } from './server-address.ts';

/** The context of a command. */
export interface CommandContext {
  readonly config: Config;
  readonly env: Environment;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/** The context of a command on accounts. */
export interface OperatorContext extends CommandContext {
  readonly operator: Operator;
  /** The client of the server; undefined when the command uses the local database. */
  readonly client?: Mynah;
}

/** The help on the options for a server. */
export const OPERATOR_HELP =
  'With --server URL and --key KEY the command uses that server instead of the local database. The key needs the scope\n' +
  'admin. The local database is that of MYNAH_DATA; --create creates it when missing.';

/** Allows the command to create a missing database. */
const CREATE_OPTION = '--create';

export type OperatorCommand = (args: string[], opened: OperatorContext) => Promise<number>;

/** Wrong usage of a command. The help is printed after the message. */
export class UsageError extends Error {}

/** Runs one of several subcommands and returns the exit status: 0 success, 1 failure, 2 wrong usage. */
export async function runSubcommand(
  args: string[],
  context: CommandContext,
  { help, commands }: { readonly help: string; readonly commands: Readonly<Record<string, OperatorCommand>> },
): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined) {
    context.stderr.write(help);
    return 2;
  }
  const run = commands[name] ?? (() => Promise.reject(new UsageError(`There is no command “${name}”.`)));
  return runSingleCommand(isHelp(name) ? args : rest, context, { help, run });
}

/** Runs a command without subcommands. */
export async function runSingleCommand(
  args: string[],
  context: CommandContext,
  { help, run }: { readonly help: string; readonly run: OperatorCommand },
): Promise<number> {
  if (isHelp(args[0])) {
    context.stdout.write(help);
    return 0;
  }
  try {
    const { server, key, rest: afterServer } = takeServer(args);
    const rest = afterServer.filter((argument) => argument !== CREATE_OPTION);
    const mayCreate = rest.length < afterServer.length;
    if (server === undefined) {
      // Loaded on demand: the other commands need none of its modules.
      const { withLocalAccounts } = await import('./local-accounts.ts');
      return await withLocalAccounts(context, mayCreate, (operator) => run(rest, { ...context, operator }));
    }
    const client = new Mynah({ ...(await findServer({ server, key }, context)) });
    return await run(rest, { ...context, operator: client.admin, client });
  } catch (error) {
    if (error instanceof UsageError) {
      context.stderr.write(`${error.message}\n\n${help}`);
      return 2;
    }
    context.stderr.write(`${explain(error)}\n`);
    return 1;
  }
}

/** Removes the options for a server from the arguments, so that the subcommands need not declare them. */
function takeServer(args: readonly string[]): { server?: string; key?: string; rest: string[] } {
  const taken: { server?: string; key?: string } = {};
  const rest: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const [, name, value] = /^--(server|key)(?:=(.*))?$/s.exec(args[at]!) ?? [];
    if (name === undefined) rest.push(args[at]!);
    else {
      const given = value ?? args[++at];
      if (given === undefined) throw new UsageError(`--${name} needs a value.`);
      taken[name as 'server' | 'key'] = given;
    }
  }
  return { ...taken, rest };
}

function isHelp(argument: string | undefined): boolean {
  return argument === '--help' || argument === '-h';
}

type Options = Record<string, { readonly type: 'string' | 'boolean'; readonly multiple?: boolean }>;

/** `parseArgs` that throws a `UsageError`. */
export function parse<Given extends Options>(
  args: string[],
  options: Given,
): ReturnType<typeof parseArgs<{ args: string[]; options: Given; allowPositionals: true }>> {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** The only positional argument of a command. */
export function requireOne(positionals: readonly string[], description: string): string {
  const [value, ...more] = positionals;
  if (value === undefined || more.length > 0) throw new UsageError(`This command needs ${description}.`);
  return value;
}

/** The options for a time range, validated. */
export function timeRange(values: { readonly from?: string | undefined; readonly to?: string | undefined }): {
  readonly from?: string;
  readonly to?: string;
} {
  const { from, to } = values;
  for (const [option, text] of Object.entries({ from, to })) {
    const isTime =
      text === undefined || (/^\d{4}-\d\d-\d\d(T.*)?$/.test(text) && !Number.isNaN(Date.parse(text)));
    if (!isTime) throw new UsageError(`--${option} takes a day, such as 2026-11-15.`);
  }
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}

/** The day of a time for display; `-` for none. */
export function dayOf(time: string | null): string {
  return time?.slice(0, 10) ?? '-';
}
