import type { Caller } from '../../domain/accounts/caller.ts';
import type { Billing, Charge } from '../../domain/accounts/metering/billing.ts';
import { ApiError } from '../../errors.ts';

/** Bytes that are paid for at once, so that a text of many tokens costs few bookings. */
const BLOCK_BYTES = 4096;

/** Sells a text that is still being written: holds the price of what has come, and charges what was spoken. */
export class LiveSale {
  readonly #open: (units: number) => Promise<Charge>;
  readonly #sales: { readonly sale: Charge; readonly units: number }[] = [];
  #heldBytes = 0;
  #chars = 0;
  #bytes = 0;

  constructor(till: Pick<Billing, 'open'>, caller: Caller, model: string) {
    this.#open = (units) => till.open(caller, { service: 'tts', model, units });
  }

  /** Resolves when a text is paid for. Rejects with an `ApiError` when there is too little credit for it. */
  async cover(text: string): Promise<void> {
    this.#chars += text.length;
    this.#bytes += Buffer.byteLength(text);
    const missing = this.#bytes - this.#heldBytes;
    if (missing <= 0) return;
    const sale = await this.#openBlock(missing);
    this.#sales.push(sale);
    this.#heldBytes += sale.units;
  }

  /** Charges the first `chars` characters of the text, and gives the rest back. */
  async settle(chars: number, voice: string): Promise<void> {
    // Within a text that was cut short its characters count alike.
    const share = this.#chars === 0 ? 0 : Math.min(1, chars / this.#chars);
    let rest = Math.round(this.#bytes * share);
    for (const { sale, units } of this.#sales) {
      await sale.settle(Math.min(units, rest), voice);
      rest = Math.max(0, rest - units);
    }
  }

  async #openBlock(missing: number): Promise<{ sale: Charge; units: number }> {
    const units = Math.max(missing, BLOCK_BYTES);
    try {
      return { sale: await this.#open(units), units };
    } catch (error) {
      // The last of a credit is spent to the byte.
      const isShort = error instanceof ApiError && error.status === 402;
      if (!isShort || units === missing) throw error;
      return { sale: await this.#open(missing), units: missing };
    }
  }
}
