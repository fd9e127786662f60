import { hostname } from 'node:os';
import type { Config } from '../../config/config.ts';
import { VERSION } from '../../config/package-info.ts';
import { sharedSettingsOf } from '../../config/shared-settings.ts';
import type { AudiobookJobs } from '../../domain/audiobooks/audiobook-jobs.ts';
import type { VoiceLibrary } from '../../domain/voices/library/voice-library.ts';
import { ChangeListener, type DatabaseChange } from '../../infrastructure/sql/cluster/change-listener.ts';
import { type Gateway, SqlGateways } from '../../infrastructure/sql/cluster/sql-gateways.ts';
import { type Database, databaseOf } from '../../infrastructure/sql/database.ts';
import { isPostgres } from '../../infrastructure/sql/database-clock.ts';
import type { Logger } from '../../logger.ts';
import type { Accounts } from '../accounts.ts';
import { StartupError } from '../startup-error.ts';

/** What a server shares with the other servers on its PostgreSQL database. On SQLite it is alone and does nothing. */
export interface ClusterMember {
  /** The running servers, oldest first. */
  gateways(): Promise<readonly RunningGateway[]>;
  close(): Promise<void>;
}

export type RunningGateway = Gateway & { readonly isSelf: boolean };

const ALONE: ClusterMember = { gateways: async () => [], close: async () => {} };

/**
 * Registers this server in the database. Throws a `StartupError` that names the settings in which it differs from a running
 * server: prices and limits of accounts must agree.
 */
export async function joinCluster(db: Database, config: Config, logger: Logger): Promise<ClusterMember> {
  if (!isPostgres(db)) return ALONE;
  const gateways = new SqlGateways(db);
  const settings = sharedSettingsOf(config);
  const { differing, others } = await gateways.register({
    host: hostname(),
    version: VERSION,
    settings,
  });
  if (differing.length > 0) {
    throw new StartupError(
      `Other values than on a running server with this database: ${differing.join(', ')}. They must be equal on all servers. To change them, stop all servers first (a server that was killed counts for 30 seconds).`,
    );
  }
  if (others.length > 0 && config.filesUrl === undefined) {
    logger.warn(
      { servers: others.length + 1 },
      'several servers use this database, but MYNAH_FILES_URL is not set: each has its own recordings and uploads, unless they share the data folder',
    );
  }
  return {
    gateways: async () =>
      (await gateways.list()).map((gateway) => ({ ...gateway, isSelf: gateway.id === gateways.id })),
    close: () => gateways.close().catch(() => {}),
  };
}

/** Discards what this server has cached when another server or the command line changes it. */
export function followChanges(
  db: Database,
  config: Config,
  {
    keys,
    connections,
    library,
    audiobooks,
  }: Pick<Accounts, 'keys' | 'connections'> & {
    readonly library: Pick<VoiceLibrary, 'refresh' | 'forgetRemoved'>;
    readonly audiobooks: Pick<AudiobookJobs, 'refresh' | 'forgetRemoved'>;
  },
): Pick<ClusterMember, 'close'> {
  if (!isPostgres(db)) return ALONE;
  const apply = async (change: DatabaseChange) => {
    if (change.table === 'voice') return library.refresh(change.id);
    if (change.table === 'audiobook_job') return audiobooks.refresh(change.id);
    keys.invalidate();
    connections.checkNow();
    if (change.table !== 'all') return;
    await library.forgetRemoved();
    await audiobooks.forgetRemoved();
  };
  return new ChangeListener(databaseOf(config), (change) => void apply(change).catch(() => {}));
}
