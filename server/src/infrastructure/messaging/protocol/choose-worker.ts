import { createHash } from 'node:crypto';
import type { WorkKind } from './messages.ts';
import { type KnownWorker, presenceOf } from './presence-table.ts';

export interface ChoiceInput {
  readonly kind: WorkKind;
  /** Work with an equal key prefers the same worker, whose caches have its voice. */
  readonly key: string;
  /** The worker of the stream so far. */
  readonly lastWorkerId?: string | undefined;
  /** Workers that refused the task, or lost it. */
  readonly excluded: ReadonlySet<string>;
}

/** Load above the least loaded worker, as a part of its slots, up to which locality decides. */
const LOCALITY_MARGIN = 0.1;

/**
 * Rendezvous hashing with bounded load: among the workers whose load is within a margin of the lowest, the last worker
 * of the stream, or the one with the highest hash. Undefined if no worker has a free slot.
 */
export function chooseWorker(workers: Iterable<KnownWorker>, input: ChoiceInput): KnownWorker | undefined {
  const candidates: { readonly worker: KnownWorker; readonly load: number }[] = [];
  for (const worker of workers) {
    const load = input.excluded.has(worker.id) ? undefined : loadOf(worker, input.kind);
    if (load !== undefined && load < 1) candidates.push({ worker, load });
  }
  const lowest = Math.min(...candidates.map(({ load }) => load));
  const eligible = candidates.filter(({ load }) => load <= lowest + LOCALITY_MARGIN);
  const last = eligible.find(({ worker }) => worker.id === input.lastWorkerId);
  if (last !== undefined) return last.worker;
  let best: { readonly worker: KnownWorker; readonly score: string } | undefined;
  for (const { worker } of eligible) {
    const score = scoreOf(input.key, worker.id);
    if (best === undefined || score > best.score) best = { worker, score };
  }
  return best?.worker;
}

/** Open tasks as a part of the slots; undefined for a worker that does not offer the kind. */
function loadOf(worker: KnownWorker, kind: WorkKind): number | undefined {
  const presence = presenceOf(worker, kind);
  if (presence === undefined || presence.slots <= 0) return undefined;
  const change = (worker.tasks.get(kind) ?? 0) - (worker.reported.get(kind) ?? 0);
  return Math.max(0, presence.openTasks + change) / presence.slots;
}

function scoreOf(key: string, workerId: string): string {
  return createHash('sha1').update(`${key}\n${workerId}`).digest('hex');
}
