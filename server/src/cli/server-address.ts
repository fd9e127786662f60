import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config, Environment } from '../config/config.ts';

/** A server to talk to, and the key for it. */
export interface ServerAddress {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** What a command line says about the server. */
export interface ServerWish {
  readonly server?: string | undefined;
  readonly key?: string | undefined;
}

/** A local server answers this fast, or is not there. */
const LOCAL_ANSWER_MS = 500;

/**
 * The server a command talks to: the one that was named, else the one on this machine when it runs. Undefined
 * when there is none, so that the command does the work itself.
 */
export async function findServer(
  wish: ServerWish,
  { config, env }: { readonly config: Config; readonly env: Environment },
): Promise<ServerAddress | undefined> {
  const apiKey = wish.key ?? env.MYNAH_API_KEY ?? env.FISH_API_KEY ?? (await firstKey(config));
  const named = wish.server ?? env.MYNAH_BASE_URL;
  if (named !== undefined) return { baseUrl: named, apiKey: apiKey ?? '' };
  const baseUrl = localUrl(config);
  return apiKey !== undefined && (await isThere(baseUrl)) ? { baseUrl, apiKey } : undefined;
}

/** Where a server with these settings is reached from this machine. */
export function localUrl({ host, port }: Pick<Config, 'host' | 'port'>): string {
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const name = isEverywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

/** Whether a server of ours answers there and can speak. */
async function isThere(baseUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${baseUrl}/v1/health`, { signal: AbortSignal.timeout(LOCAL_ANSWER_MS) });
    const report = (await response.json()) as { live?: unknown; ready?: unknown };
    return report.live === true && report.ready === true;
  } catch {
    return false;
  }
}

/** The key that the first start left for the owner of the data folder. */
async function firstKey(config: Config): Promise<string | undefined> {
  try {
    return (await readFile(join(config.dataFolder, 'first-key'), 'utf8')).trim();
  } catch {
    return undefined;
  }
}
