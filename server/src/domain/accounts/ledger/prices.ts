import { z } from 'zod';
import { NANO_PER_USD } from './money.ts';
import { SERVICES, type Service } from './usage.ts';

/** A price in US dollars. A million dollars for a single byte would be a slip of the keyboard. */
const Usd = z.number().min(0).max(1_000_000);

/**
 * Prices the operator sets, by service and model, in US dollars per million bytes of text, per hour of audio
 * and per request. `*` stands for all models that are not named.
 */
export const PriceListSchema = z.partialRecord(z.enum(SERVICES), z.record(z.string().min(1), Usd));
export type PriceList = z.output<typeof PriceListSchema>;

const ANY_MODEL = '*';

/** What Mynah charges unless the operator says otherwise. */
export const DEFAULT_PRICES: Readonly<Record<Service, Readonly<Record<string, number>>>> = {
  tts: { [ANY_MODEL]: 15, 's2.1-pro-free': 0 },
  asr: { [ANY_MODEL]: 0.36 },
  voice_design: { [ANY_MODEL]: 0.01 },
};

/** Units in the amount that a price is quoted for. */
const UNITS_PER_PRICE: Readonly<Record<Service, number>> = { tts: 1_000_000, asr: 3600, voice_design: 1 };

/** What things cost now. What was sold before keeps the price it was sold at. */
export class PriceTable {
  readonly #overrides: PriceList;

  constructor(overrides: PriceList = {}) {
    this.#overrides = overrides;
  }

  /** Nano-dollars for one byte, second or request, to the nearest whole one. */
  unitPriceNano(service: Service, model: string): number {
    const own = this.#overrides[service] ?? {};
    const usual = DEFAULT_PRICES[service];
    const usd = own[model] ?? usual[model] ?? own[ANY_MODEL] ?? usual[ANY_MODEL] ?? 0;
    return Math.round((usd * NANO_PER_USD) / UNITS_PER_PRICE[service]);
  }

  /** Nano-dollars for so many whole units. */
  costNano(service: Service, model: string, units: number): number {
    return this.unitPriceNano(service, model) * units;
  }
}
