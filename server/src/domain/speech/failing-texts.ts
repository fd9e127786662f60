import { createHash } from 'node:crypto';
import { ApiError } from '../../errors.ts';

/** Losses of a worker after which a text is refused. */
const LOSSES_MAX = 2;
/** Maximum number of remembered texts. The oldest are forgotten first. */
const REMEMBERED_MAX = 1000;

interface FailingText {
  losses: number;
  /** Attempts with a lower number had begun before the last counted loss. */
  attemptAfterLoss: number;
  readonly forgetAtMs: number;
}

/**
 * Remembers texts during whose synthesis a worker process was lost: the text crashed the engine, or a step exceeded
 * its time limit. Stores hashes, not texts. A text that an account may not use again can be used by other accounts.
 */
export class FailingTexts {
  readonly #rememberMs: number;
  readonly #now: () => number;
  /** In the order of the first loss. */
  readonly #texts = new Map<string, FailingText>();
  #attempts = 0;

  /** `rememberMs` is how long a text is refused; 0: texts are not remembered. */
  constructor({ rememberMs, now = Date.now }: { readonly rememberMs: number; readonly now?: () => number }) {
    this.#rememberMs = rememberMs;
    this.#now = now;
  }

  /** The key of a text: a hash of everything that identifies it. */
  static keyOf(...identity: readonly unknown[]): string {
    return createHash('sha256').update(JSON.stringify(identity)).digest('base64');
  }

  /** Whether no text is remembered, so that no key needs to be computed. */
  get isEmpty(): boolean {
    return this.#texts.size === 0;
  }

  /** The number of an attempt that begins now, for `recordLoss`. */
  startAttempt(): number {
    return this.#attempts++;
  }

  /** Throws `text_not_synthesizable` for a text that is refused. */
  assertAllowed(key: string): void {
    if ((this.#find(key)?.losses ?? 0) >= LOSSES_MAX) throw createRefusal();
  }

  /**
   * Records the loss of a worker during an attempt. Throws `text_not_synthesizable` when the text is to blame. Attempts
   * that ran at the same time count once: workers that are lost together may have only that text in common.
   */
  recordLoss(key: string, attempt: number, cause: unknown): void {
    const text = this.#find(key) ?? this.#add(key);
    if (attempt >= text.attemptAfterLoss) {
      text.losses += 1;
      text.attemptAfterLoss = this.#attempts;
    }
    if (text.losses >= LOSSES_MAX) throw createRefusal(cause);
  }

  /** Refuses a text from now on. */
  refuse(key: string): void {
    (this.#find(key) ?? this.#add(key)).losses = LOSSES_MAX;
  }

  /** The text was synthesized: earlier losses had another cause. */
  clear(key: string): void {
    this.#texts.delete(key);
  }

  #find(key: string): FailingText | undefined {
    const text = this.#texts.get(key);
    if (text === undefined || this.#now() < text.forgetAtMs) return text;
    this.#texts.delete(key);
    return undefined;
  }

  #add(key: string): FailingText {
    const text = { losses: 0, attemptAfterLoss: 0, forgetAtMs: this.#now() + this.#rememberMs };
    this.#texts.set(key, text);
    const [oldest] = this.#texts.keys();
    if (this.#texts.size > REMEMBERED_MAX && oldest !== undefined) this.#texts.delete(oldest);
    return text;
  }
}

function createRefusal(cause?: unknown): ApiError {
  return new ApiError(
    'text_not_synthesizable',
    'The engine failed repeatedly on this text, which is refused for a while.',
    { cause },
  );
}
