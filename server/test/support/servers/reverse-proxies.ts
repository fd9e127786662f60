import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../../src/config/package-info.ts';
import { until } from './real-server.ts';

const WAIT_MS = 60_000;

/** A reverse proxy with the configuration of the project. */
export interface ReverseProxy {
  readonly program: string;
  /** Writes the configuration for other addresses into a folder, and returns the arguments of the program. */
  configure(place: {
    readonly folder: string;
    readonly port: number;
    readonly upstream: string;
  }): Promise<readonly string[]>;
}

export const PROXIES: readonly ReverseProxy[] = [
  {
    program: 'nginx',
    async configure({ folder, port, upstream }) {
      const site = (await readConfiguration('nginx.conf', upstream))
        .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
        .replaceAll(/^\s*ssl_.*$/gm, '');
      const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((name) => `${name}_temp_path ${join(folder, name)};`)
        .join(' ');
      const path = join(folder, 'nginx.conf');
      await writeFile(
        path,
        `daemon off; pid ${join(folder, 'nginx.pid')}; error_log stderr;
        events { worker_connections 8192; } http { access_log off; ${paths} ${site} }`,
      );
      return ['-p', folder, '-e', 'stderr', '-c', path];
    },
  },
  {
    program: 'caddy',
    async configure({ folder, port, upstream }) {
      const site = await readConfiguration('Caddyfile', upstream);
      const path = join(folder, 'Caddyfile');
      await writeFile(
        path,
        `{\n\tadmin off\n}\n${site.replace('voice.example.com', `http://127.0.0.1:${port}`)}`,
      );
      return ['run', '--config', path, '--adapter', 'caddyfile'];
    },
  },
];

/** A configuration of the project, for another server. */
async function readConfiguration(name: string, upstream: string): Promise<string> {
  const text = await readFile(new URL(`../deploy/${name}`, PACKAGE_ROOT), 'utf8');
  return text.replaceAll('127.0.0.1:8080', new URL(upstream).host);
}

/** Starts a proxy in front of a server and returns its URL once it forwards. */
export async function startProxy(
  proxy: ReverseProxy,
  upstream: string,
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'mynah-proxy-'));
  const port = await findFreePort();
  const child: ChildProcess = spawn(proxy.program, await proxy.configure({ folder, port, upstream }), {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: folder },
  });
  let errors = '';
  child.stderr!.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const stop = async () => {
    if (child.exitCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await rm(folder, { recursive: true });
  };
  const url = `http://127.0.0.1:${port}`;
  const isForwarding = async () => {
    assert.equal(child.exitCode, null, errors);
    return fetch(`${url}/v1/health`).then(
      ({ status }) => status === 200,
      () => false,
    );
  };
  await until(`${proxy.program} forwards`, isForwarding, WAIT_MS);
  return { url, stop };
}

function findFreePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
