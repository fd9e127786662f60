import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config, Environment } from '../config/config.ts';

/** The address of a server and an API key for it. */
export interface ServerAddress {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** The options for a server. */
export interface ServerOptions {
  readonly server?: string | undefined;
  readonly key?: string | undefined;
}

/** Timeout of the health request to a local server. */
const LOCAL_TIMEOUT_MS = 500;

/**
 * The server of a command: that of the options or the environment, else a running server on this machine. Undefined when
 * there is none; the command then uses the engines of this installation.
 */
export async function findServer(
  options: ServerOptions,
  { config, env }: { readonly config: Config; readonly env: Environment },
): Promise<ServerAddress | undefined> {
  const apiKey = options.key ?? env.MYNAH_API_KEY ?? env.FISH_API_KEY ?? (await firstKey(config));
  const named = options.server ?? env.MYNAH_BASE_URL;
  if (named !== undefined) return { baseUrl: named, apiKey: apiKey ?? '' };
  const baseUrl = localUrl(config);
  return apiKey !== undefined && (await isReady(baseUrl)) ? { baseUrl, apiKey } : undefined;
}

/** The URL of a server with these settings, from this machine. */
export function localUrl({ host, port, tlsCert }: Pick<Config, 'host' | 'port' | 'tlsCert'>): string {
  const isWildcard = host === '0.0.0.0' || host === '::';
  const name = isWildcard ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return `${tlsCert === undefined ? 'http' : 'https'}://${name}:${port}`;
}

/** Whether a Mynah server at this URL is ready. */
async function isReady(baseUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${baseUrl}/v1/health`, { signal: AbortSignal.timeout(LOCAL_TIMEOUT_MS) });
    const report = (await response.json()) as { live?: unknown; ready?: unknown };
    return report.live === true && report.ready === true;
  } catch {
    return false;
  }
}

/** The key that the first start stored in the data folder. */
async function firstKey(config: Config): Promise<string | undefined> {
  try {
    return (await readFile(join(config.dataFolder, 'first-key'), 'utf8')).trim();
  } catch {
    return undefined;
  }
}
