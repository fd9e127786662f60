import {
  type ClusterEngine,
  type ProcessCluster,
  type ProcessClusterOptions,
  startProcessCluster,
} from '../../test/support/cluster/process-cluster.ts';
import { ENGINE_RATE_HZ } from '../clients/http-client.ts';

const WINDOW_SECONDS = 0.3;

/** Three times faster than real time, whatever the number of streams. */
export const SCRIPTED_ENGINE: ClusterEngine = scriptedEngine(100);

/** An engine that needs this time for a window of 0.3 s. */
export function scriptedEngine(windowMs: number): ClusterEngine {
  const windowSamples = WINDOW_SECONDS * ENGINE_RATE_HZ;
  return { kind: 'scripted', windowMs, windowSamples, processes: 16, slots: 64 };
}

/** A cluster with prepaid billing. Undefined, with a message, when one of the servers cannot be installed. */
export async function startMeasuredCluster(
  options: ProcessClusterOptions,
): Promise<ProcessCluster | undefined> {
  const cluster = await startProcessCluster({
    ...options,
    gatewayEnv: {
      MYNAH_BILLING: 'prepaid',
      // The holds of a killed gateway expire within a repetition.
      MYNAH_HOLD_SECONDS: '15',
      MYNAH_STARTING_MAX: '256',
      ...options.gatewayEnv,
    },
  });
  if (cluster === undefined) console.error('NATS, PostgreSQL or the S3 server is missing.');
  return cluster;
}
