import { ApiError } from '../../../errors.ts';

export interface AdmissionSettings {
  /** Requests that may be on their way to their first result at once; one account gets at most half of them. */
  readonly startingMax: number;
  readonly queueMax: number;
  readonly queueMs: number;
}

/** Who wants to enter, and how many of the account may be inside. */
export interface AdmissionRequest {
  readonly accountId: string;
  readonly keyId: string;
  readonly concurrencyMax: number;
}

/** A place inside. It must be left, whatever happens. */
export interface AdmissionTicket {
  /** Requests of the account inside when this one entered, itself included. */
  readonly current: number;
  /** Says that the first result is there: others may start now. */
  begin(): void;
  leave(): void;
}

interface Waiter {
  readonly visitor: AdmissionRequest;
  readonly admit: () => void;
  readonly refuse: (error: unknown) => void;
}

/** One account: how many of its requests are inside, and those that wait, by key. */
interface Line {
  active: number;
  starting: number;
  /** The turn in which it was last let in; 0: not yet. */
  servedInTurn: number;
  /** In the order of their turns. */
  readonly waiting: Map<string, Waiter[]>;
}

/**
 * Decides who may start. What cannot start waits in a bounded queue, where accounts take turns, and within an
 * account its keys, so that nobody waits for another's flood. Counts within this process.
 */
export class Admission {
  readonly #settings: AdmissionSettings;
  readonly #accountStartingMax: number;
  readonly #lines = new Map<string, Line>();
  #turn = 0;
  #starting = 0;
  #waiting = 0;

  constructor(settings: AdmissionSettings) {
    this.#settings = settings;
    this.#accountStartingMax = Math.ceil(settings.startingMax / 2);
  }

  /** Resolves when it is this visitor's turn; rejects with 429 when it does not come, or when the signal aborts. */
  async enter(visitor: AdmissionRequest, signal: AbortSignal): Promise<AdmissionTicket> {
    signal.throwIfAborted();
    const line = this.#lineOf(visitor.accountId);
    if (line.waiting.size > 0 || !this.#hasRoom(line, visitor)) await this.#wait(line, visitor, signal);
    else this.#take(line);
    return this.#ticket(line, visitor.accountId);
  }

  #lineOf(accountId: string): Line {
    const line = this.#lines.get(accountId) ?? {
      active: 0,
      starting: 0,
      servedInTurn: 0,
      waiting: new Map(),
    };
    this.#lines.set(accountId, line);
    return line;
  }

  #hasRoom(line: Line, visitor: AdmissionRequest): boolean {
    return (
      line.active < visitor.concurrencyMax &&
      line.starting < this.#accountStartingMax &&
      this.#starting < this.#settings.startingMax
    );
  }

  #take(line: Line): void {
    this.#turn += 1;
    line.servedInTurn = this.#turn;
    line.active += 1;
    line.starting += 1;
    this.#starting += 1;
  }

  #ticket(line: Line, accountId: string): AdmissionTicket {
    let hasBegun = false;
    let hasLeft = false;
    const begin = () => {
      if (hasBegun) return;
      hasBegun = true;
      line.starting -= 1;
      this.#starting -= 1;
      this.#callNext();
    };
    return {
      current: line.active,
      begin,
      leave: () => {
        if (hasLeft) return;
        hasLeft = true;
        line.active -= 1;
        begin();
        this.#callNext();
        if (line.active === 0 && line.waiting.size === 0) this.#lines.delete(accountId);
      },
    };
  }

  #wait(line: Line, visitor: AdmissionRequest, signal: AbortSignal): Promise<void> {
    if (this.#waiting >= this.#settings.queueMax) this.#makeRoom(line, visitor);
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.#remove(waiter, line);
        finish();
      };
      const waiter: Waiter = {
        visitor,
        admit: () => settle(resolve),
        refuse: (error) => settle(() => reject(error)),
      };
      const onAbort = () => waiter.refuse(signal.reason);
      const timer = setTimeout(() => waiter.refuse(this.#refusal(line, visitor)), this.#settings.queueMs);
      signal.addEventListener('abort', onAbort);
      this.#waiting += 1;
      line.waiting.set(visitor.keyId, [...(line.waiting.get(visitor.keyId) ?? []), waiter]);
    });
  }

  /** The longest line gives up its last place, unless that is the newcomer's own. */
  #makeRoom(newcomers: Line, visitor: AdmissionRequest): void {
    let longest = newcomers;
    for (const line of this.#lines.values()) {
      if (lengthOf(line) > lengthOf(longest)) longest = line;
    }
    const last = [...longest.waiting.values()].at(-1)?.at(-1);
    if (last === undefined || lengthOf(longest) <= lengthOf(newcomers) + 1)
      throw this.#refusal(newcomers, visitor);
    last.refuse(this.#refusal(longest, last.visitor));
  }

  #remove(waiter: Waiter, line: Line): void {
    const { keyId } = waiter.visitor;
    const left = (line.waiting.get(keyId) ?? []).filter((other) => other !== waiter);
    this.#waiting -= 1;
    // Whoever was served or gave up goes to the end of the turns.
    line.waiting.delete(keyId);
    if (left.length > 0) line.waiting.set(keyId, left);
  }

  /** Lets in whoever was served longest ago and has room, until nobody has. */
  #callNext(): void {
    while (this.#waiting > 0 && this.#starting < this.#settings.startingMax) {
      let next: { readonly line: Line; readonly waiter: Waiter } | undefined;
      for (const line of this.#lines.values()) {
        const waiter = firstOf(line);
        if (waiter === undefined || !this.#hasRoom(line, waiter.visitor)) continue;
        if (next === undefined || line.servedInTurn < next.line.servedInTurn) next = { line, waiter };
      }
      if (next === undefined) return;
      this.#take(next.line);
      next.waiter.admit();
    }
  }

  #refusal(line: Line, { concurrencyMax }: AdmissionRequest): ApiError {
    const options = { retryAfterSeconds: Math.max(1, Math.round(this.#settings.queueMs / 10_000)) };
    return line.active >= concurrencyMax
      ? new ApiError(
          'concurrency_exceeded',
          `You have exceeded your current concurrency limit of ${concurrencyMax} requests at once.`,
          options,
        )
      : new ApiError('queue_full', 'Too many requests are waiting for their turn.', options);
  }
}

function firstOf(line: Line): Waiter | undefined {
  const [waiters] = line.waiting.values();
  return waiters?.[0];
}

function lengthOf(line: Line): number {
  let length = 0;
  for (const waiters of line.waiting.values()) length += waiters.length;
  return length;
}
