import type { Config } from '../config/config.ts';
import { Administration } from '../domain/accounts/administration/administration.ts';
import type { AccountDataOwner } from '../domain/accounts/administration/delete-account.ts';
import type { AuditLog } from '../domain/accounts/audit/audit-log.ts';
import { type ApiKeys, createApiKeys } from '../domain/accounts/keys/api-keys.ts';
import { LiveConnections } from '../domain/accounts/keys/live-connections.ts';
import { PriceTable } from '../domain/accounts/ledger/prices.ts';
import type { AccountSlots } from '../domain/accounts/limits/account-slots.ts';
import { Admission } from '../domain/accounts/limits/admission.ts';
import { Idempotency } from '../domain/accounts/limits/idempotency.ts';
import { RateLimiter } from '../domain/accounts/limits/rate-limiter.ts';
import { SharedAdmission } from '../domain/accounts/limits/shared-admission.ts';
import { type Accounting, ConcurrencyLimits } from '../domain/accounts/metering/accounting.ts';
import { Billing } from '../domain/accounts/metering/billing.ts';
import { Sessions } from '../domain/accounts/sessions/sessions.ts';
import type { ServerMetrics } from '../infrastructure/metrics/server-metrics.ts';
import { SqlAccountSlots } from '../infrastructure/sql/cluster/sql-account-slots.ts';
import { SqlLoginCounter } from '../infrastructure/sql/cluster/sql-login-counter.ts';
import { SqlRateLimiter } from '../infrastructure/sql/cluster/sql-rate-limiter.ts';
import type { Database } from '../infrastructure/sql/database.ts';
import { isPostgres } from '../infrastructure/sql/database-clock.ts';
import { SqlLedger } from '../infrastructure/sql/ledger/sql-ledger.ts';
import { SqlAccountData } from '../infrastructure/sql/sql-account-data.ts';
import { SqlAuditLog } from '../infrastructure/sql/sql-audit-log.ts';
import { SqlIdempotencyStore } from '../infrastructure/sql/sql-idempotency-store.ts';
import { SqlKeyStore } from '../infrastructure/sql/sql-key-store.ts';
import { SqlSessionStore } from '../infrastructure/sql/sql-session-store.ts';
import { SqlUsageStore } from '../infrastructure/sql/sql-usage-store.ts';
import { truncateWal } from '../infrastructure/sql/truncate-wal.ts';
import type { Logger } from '../logger.ts';
import { discardUpload } from './files.ts';

const HOUR_MS = 3_600_000;
const CLEANUP_MS = 600_000;

/** Accounts, keys, limits and billing on one database. */
export interface Accounts {
  readonly keyStore: SqlKeyStore;
  readonly keys: ApiKeys;
  readonly connections: LiveConnections;
  /** Slots of accounts on all servers together. Undefined on SQLite, which one server uses alone. */
  readonly slots: AccountSlots | undefined;
  /** Sessions of the web console. */
  readonly sessions: Sessions;
  readonly accounting: Accounting;
  readonly audit: AuditLog;
  readonly administration: Administration;
  /** Number and age of the open holds of all accounts. */
  openHolds(): Promise<{ readonly count: number; readonly oldestAgeMs: number }>;
  /** Starts the background tasks: renewal and expiry of holds, removal of expired idempotency keys. */
  start(): void;
  close(): Promise<void>;
}

/** `dataOwners` store further data of accounts, which is deleted with the account. */
export function openAccounts(
  db: Database,
  config: Config,
  logger: Logger,
  dataOwners: readonly AccountDataOwner[] = [],
  metrics?: ServerMetrics,
): Accounts {
  const keyStore = new SqlKeyStore(db);
  // Several servers may use a PostgreSQL database; one alone uses a SQLite database.
  const slots = isPostgres(db) ? new SqlAccountSlots(db) : undefined;
  const connections = new LiveConnections({
    findInvalid: (keyIds) => keyStore.findInvalid(keyIds, Date.now()),
    findGrants: (keyIds) => keyStore.findGrants(keyIds),
    perAccountMax: config.socketsMax,
    reserve: slots && ((accountId) => reserveSocket(slots, accountId, config.socketsMax)),
  });
  const keys = createApiKeys({
    store: keyStore,
    isOpen: config.openMode,
    onRevoked: (keyId) => connections.closeKey(keyId, 'key_revoked'),
  });
  const ledger = new SqlLedger(db);
  const usage = new SqlUsageStore(db);
  const billing = new Billing({
    ledger,
    usage,
    prices: new PriceTable(config.prices),
    isPrepaid: config.billing === 'prepaid',
    holdMs: config.holdSeconds * 1000,
    onProblem: (error, description) => logger.error({ err: error }, description),
    onSettled: metrics && ((outcome) => metrics.settled(outcome)),
  });
  const idempotency = new Idempotency(new SqlIdempotencyStore(db), {
    keepMs: config.idempotencyHours * HOUR_MS,
    leaseMs: config.holdSeconds * 1000,
    bodyBytesMax: config.idempotencyBodyMaxBytes,
    cacheBytesMax: config.idempotencyCacheMaxBytes,
    accountBytesMax: config.idempotencyAccountMaxBytes,
    accountKeysMax: config.idempotencyKeysMax,
  });
  const admissionSettings = { ...config, queueMs: config.queueSeconds * 1000 };
  const audit = new SqlAuditLog(db);
  let cleanupTimer: NodeJS.Timeout | undefined;
  const logins = slots && new SqlLoginCounter(db);
  const sessions = new Sessions({
    store: new SqlSessionStore(db),
    keys,
    audit,
    lifetimeMs: config.sessionHours * HOUR_MS,
    logins,
    onRevoked: (sessionId) => connections.closeSession(sessionId),
  });
  return {
    audit,
    administration: new Administration({
      store: keyStore,
      keys,
      ledger,
      audit,
      dataOwners: [
        new SqlAccountData(db, (jobId) => discardUpload(config, jobId)),
        ...dataOwners,
        { deleteAccount: () => truncateWal(db) },
      ],
    }),
    keyStore,
    keys,
    connections,
    slots,
    sessions,
    accounting: {
      ledger,
      usage,
      billing,
      idempotency,
      admission: slots
        ? new SharedAdmission(admissionSettings, slots, metrics?.queue('admission'))
        : new Admission(admissionSettings, metrics?.queue('admission')),
      rates: slots ? new SqlRateLimiter(db) : new RateLimiter(),
      limits: new ConcurrencyLimits({ tiers: config.concurrencyTiers, unpaidMax: config.concurrencyMax }),
    },
    openHolds: () => ledger.openHolds(),
    start() {
      const cleanUp = async () => {
        // Deleted and changed rows leave the write-ahead log of SQLite within this time.
        await truncateWal(db);
        await logins?.removeExpired();
      };
      cleanupTimer = setInterval(() => void cleanUp().catch(() => {}), CLEANUP_MS).unref();
      billing.start();
      slots?.start();
      idempotency.start();
    },
    async close() {
      clearInterval(cleanupTimer);
      billing.close();
      await billing.settleDeferred().catch((error: unknown) => {
        logger.error({ err: error }, 'charges could not be settled before the stop');
      });
      idempotency.close();
      connections.stop();
      await slots?.close().catch(() => {});
      await keys.close();
    },
  };
}

async function reserveSocket(
  slots: AccountSlots,
  accountId: string,
  max: number,
): Promise<(() => void) | undefined> {
  const slot = await slots.take('socket', accountId, max);
  return slot && (() => void slot.release());
}
