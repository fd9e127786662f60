import { createHmac } from 'node:crypto';
import type { Watermark } from '../../audio/watermark/watermark-embedder.ts';
import { WATERMARK_COUNT, WatermarkPattern } from '../../audio/watermark/watermark-pattern.ts';

/** The account fields that watermarking uses. */
export interface WatermarkedAccount {
  readonly id: string;
  readonly isWatermarked: boolean;
}

/** Maximum time for which a change of an account by another server has no effect on its watermark. */
export const ACCOUNT_CACHE_MS = 1000;
const CACHE_SIZE_MAX = 10_000;

/** Assigns watermarks to accounts. */
export class Watermarks {
  readonly pattern: WatermarkPattern;
  readonly #secret: Uint8Array;
  readonly #findAccount: (id: string) => Promise<WatermarkedAccount | undefined>;
  readonly #now: () => number;
  readonly #marks = new Map<string, { readonly mark: Watermark | undefined; readonly untilMs: number }>();

  /** `secret` is the key of the watermark: detection is impossible without it. */
  constructor(options: {
    readonly secret: Uint8Array;
    readonly findAccount: (id: string) => Promise<WatermarkedAccount | undefined>;
    readonly now?: () => number;
  }) {
    this.pattern = new WatermarkPattern(Buffer.from(options.secret).toString('hex'));
    this.#secret = options.secret;
    this.#findAccount = options.findAccount;
    this.#now = options.now ?? Date.now;
  }

  /** The watermark of an account; undefined if its speech is not watermarked. */
  async markFor(accountId: string): Promise<Watermark | undefined> {
    const cached = this.#marks.get(accountId);
    if (cached !== undefined && cached.untilMs > this.#now()) return cached.mark;
    const account = await this.#findAccount(accountId);
    const mark = account?.isWatermarked
      ? { pattern: this.pattern, number: this.numberOf(accountId) }
      : undefined;
    if (this.#marks.size >= CACHE_SIZE_MAX) this.#marks.clear();
    this.#marks.set(accountId, { mark, untilMs: this.#now() + ACCOUNT_CACHE_MS });
    return mark;
  }

  /** The setting of the account has changed. */
  forget(accountId: string): void {
    this.#marks.delete(accountId);
  }

  /** The watermark number of an account: a keyed hash, so collisions are possible but rare. */
  numberOf(accountId: string): number {
    return createHmac('sha256', this.#secret).update(accountId).digest().readUInt32LE() % WATERMARK_COUNT;
  }
}
