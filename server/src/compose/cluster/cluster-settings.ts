import type { Config } from '../../config/config.ts';
import { StartupError } from '../startup-error.ts';

type ClusterSettings = Pick<Config, 'role' | 'natsUrl' | 'databaseUrl' | 'filesUrl'>;

/** The settings that a gateway needs and that are not set. */
export function missingForGateway({ natsUrl, databaseUrl, filesUrl }: ClusterSettings): readonly string[] {
  return [
    ...(natsUrl === undefined ? ['MYNAH_NATS_URL'] : []),
    ...(databaseUrl === undefined ? ['MYNAH_DATABASE_URL'] : []),
    ...(filesUrl === undefined ? ['MYNAH_FILES_URL'] : []),
  ];
}

/** Throws a `StartupError` that names what is missing: a half-configured cluster does not start. */
export function requireCompleteCluster(config: ClusterSettings): void {
  if (config.role === 'gateway') {
    const missing = missingForGateway(config);
    if (missing.length > 0) throw new StartupError(`A gateway needs ${missing.join(' and ')}.`);
    return;
  }
  if (config.natsUrl !== undefined) {
    throw new StartupError(
      'MYNAH_NATS_URL is set, but this server would use its own worker processes only. Start it with --role gateway, or remove the setting.',
    );
  }
}

/** Throws a `StartupError` if a worker has no NATS server to connect to. */
export function requireNats(config: Pick<Config, 'natsUrl'>): string {
  if (config.natsUrl === undefined) throw new StartupError('A worker needs MYNAH_NATS_URL.');
  return config.natsUrl.reveal();
}
