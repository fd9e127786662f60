import { z } from 'zod';
import { NANO_PER_USD } from './money.ts';
import { SERVICES, type Service } from './usage.ts';

/** A price in US dollars. The upper limit catches typing errors. */
const Usd = z.number().min(0).max(1_000_000);

/**
 * Prices set by the operator, by service and model, in US dollars per million bytes of text, per hour of audio
 * and per request. `*` applies to all other models, also to those with a default price of their own.
 */
export const PriceListSchema = z.partialRecord(z.enum(SERVICES), z.record(z.string().min(1), Usd));
export type PriceList = z.output<typeof PriceListSchema>;

const ANY_MODEL = '*';

/** The default price list. */
export const DEFAULT_PRICES: Readonly<Record<Service, Readonly<Record<string, number>>>> = {
  tts: { [ANY_MODEL]: 15, 's2.1-pro-free': 0 },
  asr: { [ANY_MODEL]: 0.36 },
  voice_design: { [ANY_MODEL]: 0.01 },
};

/** Units in the amount that a price is quoted for. */
const UNITS_PER_PRICE: Readonly<Record<Service, number>> = { tts: 1_000_000, asr: 3600, voice_design: 1 };

/** The prices in effect. A price that the operator sets for all models replaces every default of the service. */
export function mergedPrices(overrides: PriceList): Record<Service, Record<string, number>> {
  const merge = (service: Service): Record<string, number> => {
    const own = overrides[service] ?? {};
    return own[ANY_MODEL] === undefined ? { ...DEFAULT_PRICES[service], ...own } : { ...own };
  };
  return { tts: merge('tts'), asr: merge('asr'), voice_design: merge('voice_design') };
}

/** The current prices. Earlier charges keep their price. */
export class PriceTable {
  readonly #prices: Readonly<Record<Service, Readonly<Record<string, number>>>>;

  constructor(overrides: PriceList = {}) {
    this.#prices = mergedPrices(overrides);
  }

  /** Price of one byte, second or request, rounded to nano-dollars. */
  unitPriceNano(service: Service, model: string): number {
    const prices = this.#prices[service];
    const usd = prices[model] ?? prices[ANY_MODEL] ?? 0;
    return Math.round((usd * NANO_PER_USD) / UNITS_PER_PRICE[service]);
  }

  /** Price of an integer number of units. */
  costNano(service: Service, model: string, units: number): number {
    return this.unitPriceNano(service, model) * units;
  }
}
