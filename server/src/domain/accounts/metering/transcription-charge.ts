import { ApiError } from '../../../errors.ts';
import type { Caller } from '../caller.ts';
import type { Billing, Charge, ChargeRequest } from './billing.ts';

/** Seconds per hold and channel, so that a long recording needs few ledger entries. */
const HOLD_SECONDS = 60;

/** The charge for audio whose duration becomes known while it is transcribed. It must be settled in every case. */
export class TranscriptionCharge {
  readonly #charge: Pick<Charge, 'extend' | 'settle'>;
  #heldUnits = 0;

  constructor(charge: Pick<Charge, 'extend' | 'settle'>) {
    this.#charge = charge;
  }

  static async open(
    billing: Pick<Billing, 'openCharge'>,
    caller: Caller,
    request: Pick<ChargeRequest, 'model' | 'id' | 'earlierIds' | 'lease'>,
  ): Promise<TranscriptionCharge> {
    return new TranscriptionCharge(
      await billing.openCharge(caller, { service: 'asr', units: 0, ...request }),
    );
  }

  /**
   * Holds the price of the audio before this position, once per channel. Call it before text of this audio is sent or
   * stored. Throws `insufficient_balance` or `spend_cap_reached`.
   */
  async hold(seconds: number, channels = 1): Promise<void> {
    const units = unitsOf(seconds, channels);
    if (units <= this.#heldUnits) return;
    const ahead = this.#heldUnits + HOLD_SECONDS * channels;
    this.#heldUnits = await this.#extend(Math.max(units, ahead), units);
  }

  /**
   * Charges the audio before this position. Audio that the credit does not cover is charged as far as its price is
   * held. Returns the amount charged.
   */
  async settle(seconds: number, channels = 1): Promise<number> {
    // What is held is charged all the same.
    await this.hold(seconds, channels).catch(() => {});
    return this.#charge.settle(Math.min(this.#heldUnits, unitsOf(seconds, channels)));
  }

  /** Holds `wantedUnits`, or with less credit `neededUnits`: credit is spendable to the last second. */
  async #extend(wantedUnits: number, neededUnits: number): Promise<number> {
    try {
      await this.#charge.extend(wantedUnits);
      return wantedUnits;
    } catch (error) {
      const isShort = error instanceof ApiError && error.status === 402;
      if (!isShort || wantedUnits === neededUnits) throw error;
    }
    await this.#charge.extend(neededUnits);
    return neededUnits;
  }
}

/** Audio is charged by seconds, rounded up, of each channel that is transcribed separately. */
export function unitsOf(seconds: number, channels: number): number {
  return Math.ceil(seconds) * channels;
}
