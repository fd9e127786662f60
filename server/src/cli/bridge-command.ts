import { once } from 'node:events';
import type { ClientContext } from './client-command.ts';
import { UsageError } from './command.ts';
import { findServer, type ServerAddress, type ServerOptions } from './server-address.ts';

/** Options of a command that listens on an address of its own. */
export const LISTEN_OPTIONS = { host: { type: 'string' }, port: { type: 'string' } } as const;

/** A server of another protocol that sends its requests to a Mynah server. */
interface Bridge {
  readonly port: number;
  close(): Promise<void>;
}

/** Where a bridge listens. */
interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** The address of the Mynah server that a bridge uses. */
export async function requireServer(values: ServerOptions, context: ClientContext): Promise<ServerAddress> {
  const address = await findServer(values, context);
  if (address === undefined) throw new UsageError('No server is running on this machine; use --server URL.');
  return address;
}

/** The values of `--host` and `--port`. */
export function parseListenAddress(
  { host, port }: { readonly host?: string; readonly port?: string },
  defaultPort: number,
): ListenAddress {
  const number = Number(port ?? defaultPort);
  if (!Number.isInteger(number) || number < 0 || number > 65_535) {
    throw new UsageError('--port takes a number from 0 to 65535.');
  }
  return { host: host ?? '127.0.0.1', port: number };
}

/** Prints where the bridge listens, and closes it when the command is interrupted. Returns the exit status. */
export async function serveUntilInterrupted(
  bridge: Bridge,
  describe: (authority: string) => string,
  { host, context }: { readonly host: string; readonly context: ClientContext },
): Promise<number> {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${bridge.port}`;
  context.stdout.write(`${describe(authority)}\n`);
  if (!context.signal.aborted) await once(context.signal, 'abort');
  await bridge.close();
  return 0;
}
