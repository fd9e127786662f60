import type { Readable } from 'node:stream';
import type { Config, Environment } from '../config/config.ts';
import { UsageError } from './command.ts';
import { explain } from './expected-errors.ts';

/** The context of a command that can use a server. */
export interface ClientContext {
  readonly config: Config;
  readonly env: Environment;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly signal: AbortSignal;
}

/** The options of every command that can use a server. */
export const SERVER_OPTIONS = { server: { type: 'string' }, key: { type: 'string' } } as const;

/** The help on these options. */
export const SERVER_HELP = `  --server URL, --key KEY   The server to use, and an API key for it.`;

/** The help on exit codes. */
export const EXIT_CODES_HELP = 'Exit codes: 0 success, 1 failure, 2 wrong usage, 130 interrupted.';

/** Runs a command and returns the exit status: 0 success, 1 failure, 2 wrong usage, 130 interrupted. */
export async function runClientCommand(
  args: string[],
  context: ClientContext,
  command: {
    readonly help: string;
    readonly run: (args: string[], context: ClientContext) => Promise<number>;
  },
): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    context.stdout.write(command.help);
    return 0;
  }
  try {
    return await command.run(args, context);
  } catch (error) {
    if (context.signal.aborted) return 130;
    if (error instanceof UsageError) {
      context.stderr.write(`${error.message}\n\n${command.help}`);
      return 2;
    }
    context.stderr.write(`${explain(error)}\n`);
    return 1;
  }
}
