import { type RealServer, type RealServerOptions, startSingleServer } from './single-server.ts';

export {
  AUTOMATIC_WORKERS,
  type Health,
  isAlive,
  MAIN,
  type RealServer,
  until,
} from './single-server.ts';

/**
 * Starts the server in its own process with real engines. With `MYNAH_TEST_CLUSTER=1` it is a cluster, unless the test needs a
 * process or a data folder of its own.
 */
export async function startRealServer(options: RealServerOptions = {}): Promise<RealServer> {
  const { dataFolder, wrapper, nodeFlags, env } = options;
  const needsOwnProcess = (dataFolder ?? wrapper ?? nodeFlags) !== undefined;
  if (process.env.MYNAH_TEST_CLUSTER === undefined || needsOwnProcess) return startSingleServer(options);
  const { startClusterServer } = await import('../cluster/real-cluster.ts');
  return startClusterServer(env);
}
