/** One attempt of a task on one worker, as the gateway sees it. */
export interface RunningAttempt {
  readonly number: number;
  readonly workerId: string;
  /** All events up to this sequence number have arrived. */
  received: number;
  /** Events that the caller has read. */
  consumed: number;
  limit: number;
  heardAtMs: number;
  /** The last event or newly acknowledged input. */
  progressAtMs: number;
  grantedAtMs: number;
  /** A message beyond the next one has arrived: something was lost. */
  hasGap: boolean;
  inputSent: number;
  inputReceived: number;
  inputTaken: number;
  inputWanted: number;
  hasLastInput: boolean;
  /** Inputs that the worker has not acknowledged. */
  readonly unacknowledged: Map<number, { readonly payload: Uint8Array; readonly isLast: boolean }>;
}

/** A second attempt beside the running one, whose worker is suspected. */
export interface HedgedAttempt {
  readonly attempt: RunningAttempt;
  /** Its events so far: the caller gets them when the attempt replaces the running one. */
  readonly held: Uint8Array[];
}

export function createAttempt(options: {
  readonly number: number;
  readonly workerId: string;
  readonly limit: number;
  readonly hasInput: boolean;
  readonly nowMs: number;
}): RunningAttempt {
  const { number, workerId, limit, hasInput, nowMs } = options;
  return {
    number,
    workerId,
    received: 0,
    consumed: 0,
    limit,
    heardAtMs: nowMs,
    progressAtMs: nowMs,
    grantedAtMs: nowMs,
    hasGap: false,
    inputSent: 0,
    inputReceived: 0,
    inputTaken: 0,
    inputWanted: 0,
    hasLastInput: !hasInput,
    unacknowledged: new Map(),
  };
}

/** A worker with credit may send the next event. */
export function hasCredit({ received, limit }: RunningAttempt): boolean {
  return received < limit;
}
