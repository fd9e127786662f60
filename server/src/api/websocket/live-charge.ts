import type { Caller } from '../../domain/accounts/caller.ts';
import type { Billing, Charge } from '../../domain/accounts/metering/billing.ts';
import { ApiError } from '../../errors.ts';

/** Bytes per hold, so that a text of many small frames needs few ledger entries. */
const HOLD_BYTES = 4096;

/** The charge for a text that arrives in parts: holds the price of the received text, settles the spoken part. */
export class LiveCharge {
  readonly #open: (units: number) => Promise<Charge>;
  readonly #holds: { readonly charge: Charge; readonly units: number }[] = [];
  #heldBytes = 0;
  #chars = 0;
  #bytes = 0;

  constructor(billing: Pick<Billing, 'openCharge'>, caller: Caller, model: string) {
    this.#open = (units) => billing.openCharge(caller, { service: 'tts', model, units });
  }

  /** Holds the price of more text. Rejects with an `ApiError` when the credit does not cover it. */
  async hold(text: string): Promise<void> {
    this.#chars += text.length;
    this.#bytes += Buffer.byteLength(text);
    const missing = this.#bytes - this.#heldBytes;
    if (missing <= 0) return;
    const hold = await this.#openHold(missing);
    this.#holds.push(hold);
    this.#heldBytes += hold.units;
  }

  /** Charges the first `chars` characters of the text, and releases the rest. */
  async settle(chars: number, voice: string): Promise<void> {
    // The price is per UTF-8 byte. In a partly spoken text every character counts as the mean number of bytes.
    const share = this.#chars === 0 ? 0 : Math.min(1, chars / this.#chars);
    let rest = Math.round(this.#bytes * share);
    for (const { charge, units } of this.#holds) {
      await charge.settle(Math.min(units, rest), voice);
      rest = Math.max(0, rest - units);
    }
  }

  async #openHold(missing: number): Promise<{ charge: Charge; units: number }> {
    const units = Math.max(missing, HOLD_BYTES);
    try {
      return { charge: await this.#open(units), units };
    } catch (error) {
      // With less credit than a full hold, hold exactly the missing bytes: credit is spendable to the last byte.
      const isShort = error instanceof ApiError && error.status === 402;
      if (!isShort || units === missing) throw error;
      return { charge: await this.#open(missing), units: missing };
    }
  }
}
