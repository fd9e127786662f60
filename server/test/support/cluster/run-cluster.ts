import { parseArgs } from 'node:util';
import { type LocalCluster, startLocalCluster } from './local-cluster.ts';

const HELP = `Usage: npm run cluster -- [--gateways N] [--workers N] [--port N]

Starts a cluster on this machine for development: PostgreSQL, NATS, an S3 server, gateways, workers and HAProxy. Prints the URL
and the key, then who is alive whenever that changes. Ctrl+C stops everything and removes its data. Missing parts are
installed into ~/.cache/mynah/test-servers (NATS, S3) or from Debian's packages (HAProxy).
`;
const STATUS_EVERY_MS = 2000;

/** Runs `npm run cluster` until a signal, and returns the exit status. */
export async function main(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      gateways: { type: 'string', default: '2' },
      workers: { type: 'string', default: '3' },
      port: { type: 'string', default: '8080' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
  });
  const log = (line: string) => console.log(line);
  let cluster: LocalCluster;
  try {
    const [gateways, workers, port] = [values.gateways, values.workers, values.port].map(Number);
    const starting = startLocalCluster({
      gateways: bounded(gateways, 1, 16),
      workers: bounded(workers, 0, 64),
      port: bounded(port, 0, 65_535),
      env,
      log,
    });
    const first = await Promise.race([starting, stopped]);
    if (first === undefined) {
      log('Stopping…');
      await (await starting).close();
      return 0;
    }
    cluster = first;
  } catch (error) {
    console.error((error as Error).message);
    return 1;
  }
  log(`\nURL  ${cluster.url}\nKey  ${cluster.key}\n`);
  await Promise.race([stopped, showStatus(cluster, log)]);
  log('Stopping…');
  await cluster.close();
  return 0;
}

/** Prints who is alive whenever that changes. */
async function showStatus(cluster: LocalCluster, log: (line: string) => void): Promise<never> {
  let last = '';
  for (;;) {
    const now = (await cluster.status()).join('\n');
    if (now !== last) log(`${new Date().toISOString()}\n${now}\n`);
    last = now;
    await new Promise((resolve) => setTimeout(resolve, STATUS_EVERY_MS));
  }
}

function bounded(value: number | undefined, min: number, max: number): number {
  if (value === undefined || !Number.isInteger(value) || value < min || value > max)
    throw new Error(`Expected a whole number from ${min} to ${max}.`);
  return value;
}
