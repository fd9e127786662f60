import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { ProcessCluster } from '../../test/support/cluster/process-cluster.ts';

/** Open holds, slots of accounts and tasks of workers. Nothing of it remains when all requests have ended. */
export async function leftoversOf({ db, ledger, heartbeats }: ProcessCluster): Promise<readonly string[]> {
  const { openHolds } = await ledger.verify();
  const slots = await sql<{ count: number }>`
    select count(*)::int as count from account_slot
    where expires_at > extract(epoch from clock_timestamp()) * 1000`.execute(db);
  const slotCount = slots.rows[0]?.count ?? 0;
  const tasks = [...heartbeats.values()].reduce((sum, { kinds }) => sum + (kinds[0]?.openTasks ?? 0), 0);
  return [
    ...(openHolds > 0 ? [`${openHolds} holds`] : []),
    ...(slotCount > 0 ? [`${slotCount} slots`] : []),
    ...(tasks > 0 ? [`${tasks} tasks`] : []),
  ];
}

/** Waits until nothing is left, and returns what still is after the time limit. */
export async function untilNothingIsLeft(
  cluster: ProcessCluster,
  timeoutMs: number,
): Promise<readonly string[]> {
  for (const endMs = Date.now() + timeoutMs; ; await sleep(200)) {
    const leftovers = await leftoversOf(cluster).catch((error) => [String(error)]);
    if (leftovers.length === 0 || Date.now() > endMs) return leftovers;
  }
}
