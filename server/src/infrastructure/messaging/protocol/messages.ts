/**
 * Messages between gateways and workers. Both sides tolerate messages that are lost, late, duplicated or reordered.
 * The sender is not part of a message: the transport takes it from the subject, which permissions protect.
 */

/** Version of the messages. A change that an older side cannot read increments it. */
export const PROTOCOL_VERSION = 1;

/** The kinds of work that workers offer. */
export const WORK_KINDS = ['speech', 'transcription', 'cloning'] as const;
export type WorkKind = (typeof WORK_KINDS)[number];

/** Maximum size of a payload in one message. The default limit of a NATS server is 1 MiB per message. */
export const PAYLOAD_MAX_BYTES = 256 * 1024;
/** Maximum length of the id of a task, a gateway or a worker: one token of a NATS subject. */
export const ID_PATTERN = /^[A-Za-z0-9_-]{1,64}$/;

/** Identity of a message: a task, and the attempt that fences off earlier ones. */
interface TaskAddress {
  /** Unique among the tasks of its gateway. */
  readonly task: string;
  /** From 1. A higher number fences off the lower ones. */
  readonly attempt: number;
}

/** From a gateway to a worker. */
export type GatewayMessage =
  | (TaskAddress & {
      readonly type: 'start';
      readonly kind: WorkKind;
      readonly payload: Uint8Array;
      /** Whether `input` messages follow. */
      readonly hasInput: boolean;
      /** Highest sequence number that the worker may send. */
      readonly limit: number;
      /** Time the worker has for the task. Relative, since clocks differ. */
      readonly deadlineMs: number;
      /** Package version of the gateway. */
      readonly version: string;
      /** The process that is meant: a late message must not start a task again in the process that replaced it. */
      readonly boot: string;
    })
  | (TaskAddress & {
      /** Cumulative: a later grant replaces all earlier ones, so that a lost grant loses no credit. */
      readonly type: 'grant';
      /** All sequence numbers up to this one have arrived. */
      readonly received: number;
      readonly limit: number;
      /** The worker sends everything after `received` again. */
      readonly resend: boolean;
      /** Highest sequence number of the input sent so far; 0: none. */
      readonly inputSent: number;
    })
  | (TaskAddress & {
      readonly type: 'input';
      /** From 1, without gaps. */
      readonly seq: number;
      readonly payload: Uint8Array;
      readonly isLast: boolean;
    })
  | (TaskAddress & { readonly type: 'cancel' });

/** Why a worker does not run a task. */
export type RefusalReason = 'full' | 'draining' | 'kind' | 'version';

/** How a task ended in the worker. */
export type TaskOutcome =
  | { readonly type: 'done' }
  /** `code` is set for errors that a client may see. */
  | { readonly type: 'failed'; readonly code: string | undefined; readonly message: string }
  /** The engine process exited. `isSuspect`: the task may have caused it. */
  | { readonly type: 'lost'; readonly isSuspect: boolean };

/** From a worker to a gateway. */
export type WorkerMessage =
  | (TaskAddress & { readonly type: 'refused'; readonly reason: RefusalReason })
  /** The worker has no such task: it was lost on the way, or it ended. */
  | (TaskAddress & { readonly type: 'unknown' })
  | (TaskAddress & {
      readonly type: 'event';
      /** From 1, without gaps; the end marker takes the last number. */
      readonly seq: number;
      readonly payload: Uint8Array;
    })
  | (TaskAddress & { readonly type: 'end'; readonly seq: number; readonly outcome: TaskOutcome })
  | (TaskAddress & {
      readonly type: 'input-received';
      /** All input up to this sequence number has arrived. */
      readonly received: number;
      /** The task has taken all input up to this one: the gateway may send as many more as the window. */
      readonly taken: number;
    });

/** Presence and load of a worker, sent at a fixed interval. */
export interface Heartbeat {
  /** Identity of the process: a restarted worker keeps its id and has another boot. */
  readonly boot: string;
  readonly protocol: number;
  /** Package version of the worker. */
  readonly version: string;
  readonly kinds: readonly KindPresence[];
  /** The worker finishes its tasks and accepts no new ones. */
  readonly isDraining: boolean;
}

/** Capacity of a worker for one kind of work. */
export interface KindPresence {
  readonly kind: WorkKind;
  /** Maximum number of tasks at the same time. */
  readonly slots: number;
  readonly openTasks: number;
  /** Worker processes. */
  readonly processes: number;
  /** Engines that are loaded or preferred on this machine, the preferred one first. */
  readonly engines: readonly string[];
}
