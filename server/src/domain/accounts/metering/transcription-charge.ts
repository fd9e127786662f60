import { ApiError } from '../../../errors.ts';
import type { Caller } from '../caller.ts';
import type { Billing, Charge } from './billing.ts';

/** The charge for audio whose duration becomes known while it is transcribed. It must be settled in every case. */
export class TranscriptionCharge {
  readonly #charge: Pick<Charge, 'priceNano' | 'extend' | 'settle'>;
  #heldUnits = 0;

  constructor(charge: Pick<Charge, 'priceNano' | 'extend' | 'settle'>) {
    this.#charge = charge;
  }

  /** With an id, repeated settlements charge once. */
  static async open(
    billing: Pick<Billing, 'openCharge'>,
    caller: Caller,
    { id, model }: { readonly id?: string; readonly model: string },
  ): Promise<TranscriptionCharge> {
    const request = { service: 'asr', model, units: 0, ...(id !== undefined && { id }) } as const;
    return new TranscriptionCharge(await billing.openCharge(caller, request));
  }

  /** Seconds whose price is held. */
  get heldUnits(): number {
    return this.#heldUnits;
  }

  /**
   * Holds the price of the audio before this position, once per channel. Call it before text of this audio is sent.
   * Throws `insufficient_balance` or `spend_cap_reached`.
   */
  async hold(seconds: number, channels = 1): Promise<void> {
    const units = Math.ceil(seconds) * channels;
    if (units <= this.#heldUnits) return;
    await this.#charge.extend(units);
    this.#heldUnits = units;
  }

  /**
   * Charges the audio before this position. Audio that the credit does not cover is charged as far as its price is
   * held. Returns the amount charged.
   */
  async settle(seconds: number, channels = 1): Promise<number> {
    try {
      await this.hold(seconds, channels);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    } finally {
      await this.#charge.settle(Math.min(this.#heldUnits, Math.ceil(seconds) * channels));
    }
    return this.#charge.priceNano;
  }
}
