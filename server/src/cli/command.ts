import { userInfo } from 'node:os';
import { parseArgs } from 'node:util';
import { type Bookkeeping, openBookkeeping } from '../bookkeeping.ts';
import type { Config } from '../config.ts';
import { ApiError } from '../errors.ts';
import type { Actor } from '../keys/audit-log.ts';
import { createLogger } from '../logger.ts';
import { databaseOf, openDatabase } from '../storage/database.ts';

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
  if (name === undefined || name === '--help' || name === '-h') {
    context[name === undefined ? 'stderr' : 'stdout'].write(help);
    return name === undefined ? 2 : 0;
  }
  try {
    const run = commands[name];
    if (run === undefined) throw new UsageError(`There is no command “${name}”.`);
    return await withBooks(context, (opened) => run(rest, opened));
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

async function withBooks(
  context: CommandContext,
  work: (opened: OpenedCommand) => Promise<number>,
): Promise<number> {
  const db = await openDatabase(databaseOf(context.config));
  const books = openBookkeeping(db, context.config, createLogger(context.config));
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

/** A day or an instant for machines; null for what never happened. */
export function isoTime(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

/** A day for people; `-` for what never happened. */
export function isoDay(ms: number | undefined): string {
  return isoTime(ms)?.slice(0, 10) ?? '-';
}
