import { userInfo } from 'node:os';
import { parseArgs } from 'node:util';
import { type Bookkeeping, openBookkeeping } from '../bookkeeping.ts';
import type { Config } from '../config.ts';
import { ApiError } from '../errors.ts';
import type { Actor } from '../keys/audit-log.ts';
import { createLogger } from '../logger.ts';
import { databaseOf, openDatabase } from '../storage/database.ts';
import { openVoiceLibrary } from '../voice-keeping.ts';

/** Where a command reads and writes. */
export interface CommandContext {
  readonly config: Config;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/** What a command over accounts and money works with. */
export interface OpenedCommand extends CommandContext {
  readonly books: Bookkeeping;
  /** Who runs it, for the audit log. */
  readonly actor: Actor;
}

export type BooksCommand = (args: string[], opened: OpenedCommand) => Promise<number>;

/** The command was written wrongly; the help follows. */
export class UsageError extends Error {}

/** Runs one of several subcommands over the books and returns the exit status: 0 done, 1 failed, 2 wrong usage. */
export async function runBooksCommand(
  args: string[],
  context: CommandContext,
  { help, commands }: { readonly help: string; readonly commands: Readonly<Record<string, BooksCommand>> },
): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined) {
    context.stderr.write(help);
    return 2;
  }
  const run = commands[name] ?? (() => Promise.reject(new UsageError(`There is no command “${name}”.`)));
  return runSingleCommand(isHelp(name) ? args : rest, context, { help, run });
}

/** Runs a command over the books that has no subcommands. */
export async function runSingleCommand(
  args: string[],
  context: CommandContext,
  { help, run }: { readonly help: string; readonly run: BooksCommand },
): Promise<number> {
  if (isHelp(args[0])) {
    context.stdout.write(help);
    return 0;
  }
  try {
    return await withBooks(context, (opened) => run(args, opened));
  } catch (error) {
    if (error instanceof ApiError) {
      context.stderr.write(`${error.message}\n`);
      return 1;
    }
    if (!(error instanceof UsageError)) throw error;
    context.stderr.write(`${error.message}\n\n${help}`);
    return 2;
  }
}

function isHelp(argument: string | undefined): boolean {
  return argument === '--help' || argument === '-h';
}

async function withBooks(
  context: CommandContext,
  work: (opened: OpenedCommand) => Promise<number>,
): Promise<number> {
  const db = await openDatabase(databaseOf(context.config));
  const logger = createLogger(context.config);
  const voiceOwner = { deleteAccount: (accountId: string) => library.deleteAccount(accountId) };
  const books = openBookkeeping(db, context.config, logger, [voiceOwner]);
  const library = openVoiceLibrary(db, context.config, { logger, audit: books.audit });
  try {
    return await work({ ...context, books, actor: { name: `cli:${userInfo().username}`, source: 'local' } });
  } finally {
    await books.close();
    await db.destroy();
  }
}

type Options = Record<string, { readonly type: 'string' | 'boolean'; readonly multiple?: boolean }>;

/** `parseArgs` with its complaints as usage errors. */
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

/** The one positional argument a command takes. */
export function only(positionals: readonly string[], what: string): string {
  const [value, ...more] = positionals;
  if (value === undefined || more.length > 0) throw new UsageError(`This needs ${what}, and nothing else.`);
  return value;
}

/** The time an option names; undefined when it is absent. */
export function parseTime(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = /^\d{4}-\d\d-\d\d(T.*)?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) throw new UsageError(`${option} takes a day, such as 2026-11-15.`);
  return ms;
}

/** A day or an instant for machines; null for what never happened. */
export function isoTime(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

/** A day for people; `-` for what never happened. */
export function isoDay(ms: number | undefined): string {
  return isoTime(ms)?.slice(0, 10) ?? '-';
}
