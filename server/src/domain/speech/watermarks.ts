import { createHmac } from 'node:crypto';
import type { Watermark } from '../../audio/watermark/watermark-embedder.ts';
import { WATERMARK_COUNT, WatermarkPattern } from '../../audio/watermark/watermark-pattern.ts';

/** The account fields that watermarking uses. */
export interface WatermarkedAccount {
  readonly id: string;
  readonly isWatermarked: boolean;
}

/** Assigns watermarks to accounts. */
export class Watermarks {
  readonly pattern: WatermarkPattern;
  readonly #secret: Uint8Array;
  readonly #findAccount: (id: string) => Promise<WatermarkedAccount | undefined>;

  /** `secret` is the key of the watermark: detection is impossible without it. */
  constructor(options: {
    readonly secret: Uint8Array;
    readonly findAccount: (id: string) => Promise<WatermarkedAccount | undefined>;
  }) {
    this.pattern = new WatermarkPattern(Buffer.from(options.secret).toString('hex'));
    this.#secret = options.secret;
    this.#findAccount = options.findAccount;
  }

  /** The watermark of an account; undefined if its speech is not watermarked. */
  async markFor(accountId: string): Promise<Watermark | undefined> {
    const account = await this.#findAccount(accountId);
    return account?.isWatermarked ? { pattern: this.pattern, number: this.numberOf(accountId) } : undefined;
  }

  /** The watermark number of an account: a keyed hash, so collisions are possible but rare. */
  numberOf(accountId: string): number {
    return createHmac('sha256', this.#secret).update(accountId).digest().readUInt32LE() % WATERMARK_COUNT;
  }
}
