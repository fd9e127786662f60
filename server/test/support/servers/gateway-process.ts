import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { PrepaidServerSettings } from './prepaid-server-main.ts';

const MAIN = fileURLToPath(new URL('./prepaid-server-main.js', import.meta.url));

/** A server with prepaid billing in a process of its own. */
export interface GatewayProcess {
  readonly url: string;
  readonly key: string;
  readonly call: (path: string, init?: RequestInit) => Promise<Response>;
  /** `POST /v1/tts`. */
  readonly speak: (text: string, headers?: Record<string, string>) => Promise<Response>;
  /** Ends the process at once. */
  kill(): Promise<void>;
}

/** Starts servers in folders of their own below `folder`, on one PostgreSQL database. */
export async function startGateways(
  folder: string,
  count: number,
  settings: Omit<PrepaidServerSettings, 'dataFolder'>,
): Promise<readonly GatewayProcess[]> {
  const gateways: GatewayProcess[] = [];
  for (let index = 0; index < count; index += 1) {
    const dataFolder = join(folder, `gateway-${index}`);
    await mkdir(dataFolder);
    // The test server reads its key from a file; the first server has written it.
    if (index > 0) await copyFile(join(folder, 'gateway-0', 'first-key'), join(dataFolder, 'first-key'));
    gateways.push(await startGateway({ ...settings, dataFolder }));
  }
  return gateways;
}

async function startGateway(settings: PrepaidServerSettings): Promise<GatewayProcess> {
  const child = spawn(process.execPath, [MAIN], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.write(`${JSON.stringify(settings)}\n`);
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { url, key } = JSON.parse(line) as { url: string; key: string };
  const call = (path: string, init: RequestInit = {}) =>
    fetch(url + path, { ...init, headers: { authorization: `Bearer ${key}`, ...init.headers } });
  return {
    url,
    key,
    call,
    speak: (text, headers = {}) =>
      call('/v1/tts', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ text, format: 'pcm', sample_rate: 8000 }),
      }),
    kill: () => kill(child),
  };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
