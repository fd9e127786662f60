import type { HedgedAttempt, RunningAttempt } from './attempt.ts';
import type { GatewayMessage, RefusalReason, TaskOutcome, WorkKind } from './messages.ts';
import type { PresenceChange } from './presence-table.ts';

/** A task to dispatch. */
export interface DispatchTask {
  readonly id: string;
  readonly kind: WorkKind;
  /** Tasks with an equal key prefer the same worker. */
  readonly key: string;
  readonly lastWorkerId?: string | undefined;
  readonly payload: Uint8Array;
  readonly hasInput: boolean;
  /** Whether a second worker gets the task as soon as its worker is suspected. Only without input. */
  readonly isHedged?: boolean | undefined;
  /** Time for the task in a worker. */
  readonly deadlineMs: number;
  /** Maximum wait for a worker with a free slot. */
  readonly waitMs: number;
}

/** How a task ended for its caller. */
export type DispatchOutcome =
  | TaskOutcome
  /** No worker had a free slot in time. `reason`: why the last one refused. */
  | { readonly type: 'unavailable'; readonly reason: RefusalReason | 'none' }
  | { readonly type: 'deadline' }
  | { readonly type: 'cancelled' };

/** What the dispatcher asks its transport and the callers of tasks to do. */
export type GatewayEffect =
  | { readonly type: 'send'; readonly workerId: string; readonly message: GatewayMessage }
  /** An attempt begins: the events of the task start again from the beginning. */
  | {
      readonly type: 'attempt';
      readonly taskId: string;
      readonly attempt: number;
      readonly workerId: string;
    }
  | {
      readonly type: 'event';
      readonly taskId: string;
      readonly attempt: number;
      readonly payload: Uint8Array;
    }
  /** The worker can take the next input of this attempt. */
  | { readonly type: 'input-wanted'; readonly taskId: string; readonly attempt: number; readonly seq: number }
  | { readonly type: 'end'; readonly taskId: string; readonly outcome: DispatchOutcome }
  | { readonly type: 'presence'; readonly workerId: string; readonly change: PresenceChange | 'lost' };

/** A task that the gateway has accepted and that has not ended. */
export interface OpenTask {
  readonly task: DispatchTask;
  /** The caller has waited for a worker since then. */
  waitsSinceMs: number;
  /** Remaining time of the task. Does not run while the caller has not read what has arrived. */
  remainingMs: number;
  tickedAtMs: number;
  /** Attempts so far, refused ones included. */
  attempts: number;
  losses: number;
  suspectLosses: number;
  refusal: RefusalReason | 'none';
  readonly excluded: Set<string>;
  retryAtMs: number;
  lastWorkerId: string | undefined;
  running: RunningAttempt | undefined;
  /** Its number is higher than that of `running`. */
  hedge: HedgedAttempt | undefined;
}

export function openTask(task: DispatchTask, nowMs: number): OpenTask {
  return {
    task,
    waitsSinceMs: nowMs,
    remainingMs: task.waitMs + task.deadlineMs,
    tickedAtMs: nowMs,
    attempts: 0,
    losses: 0,
    suspectLosses: 0,
    refusal: 'none',
    excluded: new Set(),
    retryAtMs: 0,
    lastWorkerId: task.lastWorkerId,
    running: undefined,
    hedge: undefined,
  };
}
