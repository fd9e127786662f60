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
  /** Text and dictionary bytes. */
  #bytes = 0;
  #dictionaryBytes = 0;

  constructor(billing: Pick<Billing, 'openCharge'>, caller: Caller, model: string) {
    this.#open = (units) => billing.openCharge(caller, { service: 'tts', model, units });
  }

  /** Holds a price before there is text, for work that precedes it. Rejects like `hold`. */
  async reserve(): Promise<void> {
    if (this.#heldBytes > 0) return;
    const hold = await this.#openHold(1);
    this.#holds.push(hold);
    this.#heldBytes += hold.units;
  }

  /** Holds the price of more text. Rejects with an `ApiError` when the credit does not cover it. */
  async hold(text: string): Promise<void> {
    await this.#add(Buffer.byteLength(text));
  }

  /** Raises the dictionary bytes of the session to `bytes`. They are charged in addition to the text. Rejects like `hold`. */
  async holdDictionary(bytes: number): Promise<void> {
    const added = bytes - this.#dictionaryBytes;
    if (added <= 0) return;
    this.#dictionaryBytes = bytes;
    await this.#add(added);
  }

  async #add(bytes: number): Promise<void> {
    this.#bytes += bytes;
    const missing = this.#bytes - this.#heldBytes;
    if (missing <= 0) return;
    const hold = await this.#openHold(missing);
    this.#holds.push(hold);
    this.#heldBytes += hold.units;
  }

  /** Charges `bytes` bytes, at most those of the whole session, and releases the rest. */
  async settle(bytes: number, voice: string): Promise<void> {
    let rest = Math.min(bytes, this.#bytes);
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
