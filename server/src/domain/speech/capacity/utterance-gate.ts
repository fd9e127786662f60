import { FairQueue } from '../../../concurrency/fair-queue.ts';

/** An utterance of a stream, before it goes to the workers. */
export interface GatedUtterance {
  /** The account of the stream. Empty: the server itself, which does not count as one of the accounts. */
  readonly accountId: string;
  /** Due time of its first audio, in milliseconds since the epoch. */
  readonly dueAtMs: number;
  /** The utterance gives the first audio of its stream. */
  readonly isFirstAudio: boolean;
}

export interface UtteranceGateOptions {
  /** The number of worker processes. */
  readonly workers: () => number;
  /** Whether other work with deadlines, such as live transcription, needs a core of the workers. Default: no. */
  readonly isCoreNeeded?: (() => boolean) | undefined;
  /** Milliseconds since the epoch. Default: `Date.now`. */
  readonly now?: () => number;
}

interface Waiter {
  /** Ends the wait. */
  readonly pass: () => void;
}

/** An utterance that is due within this time does not wait. */
const URGENT_BELOW_MS = 5000;
/** How long an account is active after an utterance. */
const ACTIVE_MS = 60_000;
const NOTHING_TO_END = () => {};

/**
 * Holds back utterances that are due much later. The workers would process them after urgent ones, but their audio would
 * fill the channels between the processes, and no core would be free for the next request.
 *
 * While one account is active, a few utterances in advance keep all workers busy; while several are, or while other work
 * with deadlines needs a core, they leave one worker free. They wait for new streams, and accounts take turns. An utterance
 * that becomes urgent waits no longer.
 */
export class UtteranceGate {
  readonly #options: UtteranceGateOptions;
  readonly #waiting = new FairQueue<Waiter>();
  /** First utterances without audio yet, and utterances in advance that the workers have not finished. */
  #inProgress = 0;
  /** When accounts had their last utterance, the most recent last. */
  readonly #activeAtMs = new Map<string, number>();

  constructor(options: UtteranceGateOptions) {
    this.#options = options;
  }

  /**
   * Waits for the turn of the utterance, and returns the function that ends it: on the first audio of a stream, or when
   * the workers have finished the utterance. Rejects with the reason of the signal.
   */
  async enter(utterance: GatedUtterance, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const { accountId, dueAtMs, isFirstAudio } = utterance;
    const nowMs = this.#options.now?.() ?? Date.now();
    this.#markActive(accountId, nowMs);
    const urgentInMs = dueAtMs - nowMs - URGENT_BELOW_MS;
    if (isFirstAudio || this.#hasTurn) return this.#begin();
    if (urgentInMs <= 0) return NOTHING_TO_END;
    return (await this.#wait(accountId, { signal, timeoutMs: urgentInMs })) ?? NOTHING_TO_END;
  }

  #markActive(accountId: string, nowMs: number): void {
    if (accountId === '') return;
    this.#activeAtMs.delete(accountId);
    this.#activeAtMs.set(accountId, nowMs);
    for (const [other, atMs] of this.#activeAtMs) {
      if (nowMs - atMs <= ACTIVE_MS) break;
      this.#activeAtMs.delete(other);
    }
  }

  /** Whether another utterance in advance may be in progress. */
  get #hasTurn(): boolean {
    const workers = this.#options.workers();
    const isShared = this.#activeAtMs.size > 1 || this.#options.isCoreNeeded?.() === true;
    return this.#inProgress < (isShared ? Math.max(1, workers - 1) : workers + 1);
  }

  #begin(): () => void {
    this.#inProgress++;
    let isEnded = false;
    return () => {
      if (isEnded) return;
      isEnded = true;
      this.#inProgress--;
      if (this.#hasTurn) this.#waiting.take()?.pass();
    };
  }

  /** Resolves when it is the turn of the utterance, or after the timeout, with undefined. */
  #wait(
    accountId: string,
    { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<(() => void) | undefined> {
    return new Promise((resolve, reject) => {
      const stopWaiting = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
      };
      const leave = () => {
        stopWaiting();
        this.#waiting.remove(accountId, waiter);
      };
      const abort = () => {
        leave();
        reject(signal.reason);
      };
      const becomeUrgent = () => {
        leave();
        resolve(undefined);
      };
      const waiter = {
        pass: () => {
          stopWaiting();
          resolve(this.#begin());
        },
      };
      const timer = setTimeout(becomeUrgent, timeoutMs);
      signal.addEventListener('abort', abort, { once: true });
      this.#waiting.add(accountId, waiter);
    });
  }
}
