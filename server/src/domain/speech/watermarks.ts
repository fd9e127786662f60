import { createHmac } from 'node:crypto';
import { WATERMARK_NUMBERS, WatermarkPattern } from '../../audio/watermark/watermark-pattern.ts';
import type { Mark } from '../../audio/watermark/watermarker.ts';

/** An account, as far as marks know it. */
export interface WatermarkedAccount {
  readonly id: string;
  readonly isWatermarked: boolean;
}

/** The marks of accounts: which speech gets one, and whose a number is. */
export class Watermarks {
  readonly pattern: WatermarkPattern;
  readonly #secret: Uint8Array;
  readonly #findAccount: (id: string) => Promise<WatermarkedAccount | undefined>;

  /** The secret is the server's own: whoever has it can find its marks, and nobody else. */
  constructor(options: {
    readonly secret: Uint8Array;
    readonly findAccount: (id: string) => Promise<WatermarkedAccount | undefined>;
  }) {
    this.pattern = new WatermarkPattern(Buffer.from(options.secret).toString('hex'));
    this.#secret = options.secret;
    this.#findAccount = options.findAccount;
  }

  /** What the speech of an account is marked with; undefined where it is not. */
  async markFor(accountId: string): Promise<Mark | undefined> {
    const account = await this.#findAccount(accountId);
    return account?.isWatermarked ? { pattern: this.pattern, number: this.numberOf(accountId) } : undefined;
  }

  /** The number of an account. Few accounts share one. */
  numberOf(accountId: string): number {
    return createHmac('sha256', this.#secret).update(accountId).digest().readUInt32LE() % WATERMARK_NUMBERS;
  }
}
