import type { Kysely } from 'kysely';
import type { Lease } from '../../domain/accounts/lease.ts';
import type { Tables } from './schema.ts';
import { JOB_TABLES } from './sql-job-queue.ts';

/** A job or request that has ended has no other owner: its last one may still charge for its work. */
const OWNED_STATUSES = {
  write: ['running'],
  charge: ['running', 'paused', 'cancelled', 'finished', 'failed'],
} as const;
const OWNED_STATES = { write: ['running'], charge: ['running', 'done'] } as const;

/**
 * Whether the owner still holds the lease. Locks the lease until the end of the transaction, so that no other process
 * takes it over before the writes of the transaction are visible.
 */
export async function lockLease(
  tx: Kysely<Tables>,
  lease: Lease,
  purpose: 'write' | 'charge' = 'write',
): Promise<boolean> {
  // Changes nothing; an update takes the lock on both databases.
  const row =
    lease.kind !== 'request'
      ? await tx
          .updateTable(JOB_TABLES[lease.kind])
          .set({ claims: lease.claim })
          .where('id', '=', lease.id)
          .where('claims', '=', lease.claim)
          .where('status', 'in', OWNED_STATUSES[purpose])
          .returning('id')
          .executeTakeFirst()
      : await tx
          .updateTable('idempotency')
          .set({ lease_token: lease.token })
          .where('account_id', '=', lease.accountId)
          .where('key', '=', lease.key)
          .where('lease_token', '=', lease.token)
          .where('state', 'in', OWNED_STATES[purpose])
          .returning('key')
          .executeTakeFirst();
  return row !== undefined;
}
