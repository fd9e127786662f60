import type { DispatchPolicy } from './dispatch-policy.ts';
import { type Heartbeat, type KindPresence, PROTOCOL_VERSION, type WorkKind } from './messages.ts';
import { areCompatible } from './version-skew.ts';

/** A worker as a gateway knows it. */
export interface KnownWorker {
  readonly id: string;
  heartbeat: Heartbeat;
  seenAtMs: number;
  readonly isCompatible: boolean;
  /** Tasks that this gateway has sent to the worker and that have not ended. */
  readonly tasks: Map<WorkKind, number>;
  /** The same at the last heartbeat, which counts them. */
  reported: ReadonlyMap<WorkKind, number>;
}

/** The result of a heartbeat. */
export type PresenceChange = 'known' | 'joined' | 'restarted' | 'incompatible' | 'ignored';

/** The workers whose messages a gateway receives. */
export class PresenceTable {
  readonly #policy: DispatchPolicy;
  readonly #version: string;
  readonly #workers = new Map<string, KnownWorker>();

  constructor(policy: DispatchPolicy, version: string) {
    this.#policy = policy;
    this.#version = version;
  }

  /** Every worker whose heartbeat has arrived in time, compatible or not. */
  workers(): readonly KnownWorker[] {
    return [...this.#workers.values()];
  }

  get(workerId: string): KnownWorker | undefined {
    return this.#workers.get(workerId);
  }

  receive(workerId: string, heartbeat: Heartbeat, nowMs: number): PresenceChange {
    const known = this.#workers.get(workerId);
    if (known !== undefined && known.heartbeat.boot === heartbeat.boot) {
      known.heartbeat = heartbeat;
      known.seenAtMs = nowMs;
      known.reported = new Map(known.tasks);
      return 'known';
    }
    if (known === undefined && this.#workers.size >= this.#policy.workersMax) return 'ignored';
    const isCompatible =
      heartbeat.protocol === PROTOCOL_VERSION && areCompatible(this.#version, heartbeat.version);
    this.#workers.set(workerId, {
      id: workerId,
      heartbeat,
      seenAtMs: nowMs,
      isCompatible,
      tasks: new Map(),
      reported: new Map(),
    });
    if (!isCompatible) return 'incompatible';
    return known === undefined ? 'joined' : 'restarted';
  }

  /** Any message of a worker is a sign of life. */
  touch(workerId: string, nowMs: number): void {
    const worker = this.#workers.get(workerId);
    if (worker !== undefined) worker.seenAtMs = nowMs;
  }

  /** After a reconnection or a suspension: the heartbeats of the meantime were lost, or are not read yet. */
  touchAll(nowMs: number): void {
    for (const worker of this.#workers.values()) worker.seenAtMs = Math.max(worker.seenAtMs, nowMs);
  }

  remove(workerId: string): void {
    this.#workers.delete(workerId);
  }

  /** Ids of the workers without a sign of life. */
  overdue(nowMs: number): readonly string[] {
    const { workerLostMs, allWorkersLostMs } = this.#policy;
    const silentFor = (ms: number) => this.workers().filter(({ seenAtMs }) => nowMs - seenAtMs > ms);
    const silent = silentFor(workerLostMs);
    const lost = silent.length < this.#workers.size ? silent : silentFor(allWorkersLostMs);
    return lost.map(({ id }) => id);
  }

  /**
   * Ids of workers without a sign of life for so long that they are probably lost. None while all workers are silent.
   * `sinceMs`: silence before this time does not count.
   */
  suspected(nowMs: number, sinceMs: number): ReadonlySet<string> {
    const workers = this.workers();
    const isSilent = ({ seenAtMs }: KnownWorker) =>
      nowMs - Math.max(seenAtMs, sinceMs) > this.#policy.suspectMs;
    const silent = workers.filter(isSilent);
    return new Set(silent.length < workers.length ? silent.map(({ id }) => id) : []);
  }

  count(workerId: string, kind: WorkKind, change: 1 | -1): void {
    const worker = this.#workers.get(workerId);
    if (worker === undefined) return;
    worker.tasks.set(kind, Math.max(0, (worker.tasks.get(kind) ?? 0) + change));
  }
}

/** The capacity of a worker for a kind of work; undefined if it offers none now. */
export function presenceOf(worker: KnownWorker, kind: WorkKind): KindPresence | undefined {
  if (!worker.isCompatible || worker.heartbeat.isDraining) return undefined;
  return worker.heartbeat.kinds.find((entry) => entry.kind === kind);
}
