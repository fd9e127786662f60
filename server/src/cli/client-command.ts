import type { Readable } from 'node:stream';
import type { Config, Environment } from '../config/config.ts';
import { UsageError } from './command.ts';
import { explain } from './expected-errors.ts';

/** Where a command that can work through a server reads and writes. */
export interface ClientContext {
  readonly config: Config;
  readonly env: Environment;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly signal: AbortSignal;
}

/** The options of every command that can work through a server. */
export const SERVER_OPTIONS = { server: { type: 'string' }, key: { type: 'string' } } as const;

/** Their help. */
export const SERVER_HELP = `  --server URL, --key KEY   The server to work through, and the key for it.`;

/** What every such command promises about its end. */
export const EXIT_CODES_HELP = 'Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.';

/** Runs a command and returns the exit status: 0 done, 1 failed, 2 wrong usage, 130 interrupted. */
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
