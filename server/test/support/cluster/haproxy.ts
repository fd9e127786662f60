import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../servers/real-server.ts';

/** A load balancer before several servers. It ends with this process. */
export interface LoadBalancer {
  readonly url: string;
  stop(): Promise<void>;
}

/** The path of HAProxy. Debian installs it where PATH of a user does not look. */
export function findHaproxy(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, 'haproxy')).find((path) => existsSync(path));
}

/** Installs HAProxy from Debian's packages where this user may. */
export function installHaproxy(): string | undefined {
  if (findHaproxy() === undefined && process.getuid?.() === 0) {
    const run = (...args: string[]) => spawnSync('apt-get', args, { stdio: 'ignore', timeout: 300_000 });
    if (run('install', '-y', '--no-install-recommends', 'haproxy').status !== 0) {
      run('update');
      run('install', '-y', '--no-install-recommends', 'haproxy');
    }
  }
  return findHaproxy();
}

/** Starts HAProxy: requests in turn, WebSockets by the number of connections, only to servers that are ready. */
export async function startHaproxy(
  program: string,
  port: number,
  servers: readonly string[],
): Promise<LoadBalancer> {
  const folder = mkdtempSync(join(tmpdir(), 'mynah-haproxy-'));
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, configurationOf(port, servers));
  const child: ChildProcess = spawn(program, ['-f', file, '-db'], { stdio: 'ignore' });
  child.unref();
  process.once('exit', () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${port}`;
  await until('HAProxy is ready', async () => {
    if (child.exitCode !== null) throw new Error(`HAProxy ended with ${child.exitCode}.`);
    const response = await fetch(`${url}/v1/health`).catch(() => undefined);
    return response?.status === 200;
  });
  return {
    url,
    async stop() {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** A cut connection is repeated only when no byte was sent to the server: a request may have been charged. */
export function configurationOf(port: number, servers: readonly string[]): string {
  const lines = servers.map(
    (url, index) => `  server gateway-${index + 1} ${new URL(url).host} check inter 1s fall 2 rise 1`,
  );
  return `defaults
  mode http
  timeout connect 5s
  timeout client 1h
  timeout server 1h
  timeout tunnel 1h
  retries 2
  retry-on conn-failure
  option redispatch
frontend clients
  bind 127.0.0.1:${port}
  option forwardfor
  default_backend gateways
backend gateways
  balance roundrobin
  option httpchk GET /v1/health/ready
${lines.join('\n')}
`;
}
