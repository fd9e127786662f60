import { findWorkers } from '../../compose/cluster/check-nats.ts';
import { missingForGateway } from '../../compose/cluster/cluster-settings.ts';
import { StartupError } from '../../compose/startup-error.ts';
import type { Config } from '../../config/config.ts';
import type { Finding } from './doctor-finding.ts';

/** The parts of a cluster: its settings, NATS, and the workers that are present. Nothing on a single machine. */
export async function examineCluster(config: Config): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const missing = config.role === 'gateway' ? missingForGateway(config) : [];
  if (missing.length > 0) {
    findings.push({
      what: 'Cluster',
      state: 'problem',
      found: `${missing.join(', ')} not set`,
      fix: 'Set them, or start without --role gateway.',
    });
  }
  if (config.natsUrl !== undefined) findings.push(await examineNats(config));
  return findings;
}

async function examineNats(config: Config): Promise<Finding> {
  const what = 'NATS';
  try {
    const workers = await findWorkers(config);
    const describe = ({ id, version, kinds }: (typeof workers)[number]) =>
      `${id} (${version}: ${kinds.join(', ')})`;
    const found = `connected; workers: ${workers.map(describe).join('; ') || 'none'}`;
    if (workers.some(({ isCompatible }) => !isCompatible)) {
      const fix = 'Upgrade gateways and workers to the same version; one minor version apart is allowed.';
      return { what, state: 'problem', found: `${found}; not all have a compatible version`, fix };
    }
    if (workers.length > 0) return { what, state: 'ok', found };
    return { what, state: 'warning', found, fix: 'Start a worker: mynah worker' };
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    const fix = 'Start nats-server, or correct MYNAH_NATS_URL and the credentials.';
    return { what, state: 'problem', found: error.message, fix };
  }
}
