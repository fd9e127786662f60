import { z } from 'zod';
import { NANO_MAX, parseUsd } from '../../../domain/accounts/ledger/money.ts';

/** A timestamp on the wire. */
export const TimestampSchema = z.string().meta({ format: 'date-time' });

/** An amount of US dollars as a decimal string, exact to nine decimals. */
export const UsdSchema = z.string().meta({ examples: ['12.50'] });

/** Parses US dollars to nano-dollars. Numbers are accepted, but only strings are exact. */
export function usdInput(options: { readonly mayBeNegative?: boolean } = {}) {
  const { mayBeNegative = false } = options;
  return z
    .union([z.string(), z.number()])
    .meta({ description: 'US dollars, such as `"12.50"`.' })
    .transform((given, context) => {
      const nano = parseUsd(typeof given === 'number' ? plainNumber(given) : given);
      const isValid = nano !== undefined && Math.abs(nano) <= NANO_MAX && (mayBeNegative || nano >= 0);
      if (isValid) return nano;
      context.addIssue({
        code: 'custom',
        message: 'must be an amount of US dollars with at most nine decimals',
      });
      return z.NEVER;
    });
}

// Avoids the exponent notation of small numbers, such as 1e-7.
function plainNumber(value: number): string {
  return Number.isFinite(value) ? value.toFixed(9).replace(/\.?0+$/, '') : '';
}

const DATE = '\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])';
const TIME = 'T([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d{1,9})?)?(Z|[+-]([01]\\d|2[0-3]):[0-5]\\d)?';

/** Parses a date or an instant, `2026-11-15` or `2026-11-15T12:00:00Z`, to milliseconds. */
export const TimeInputSchema = z
  .string()
  .meta({
    description: 'A date (UTC) or an instant, `2026-11-15` or `2026-11-15T12:00:00Z`.',
    pattern: `^${DATE}(${TIME})?$`,
  })
  .transform((given, context) => {
    const ms = /^\d{4}-\d\d-\d\d(T.*)?$/.test(given) ? Date.parse(given) : Number.NaN;
    if (!Number.isNaN(ms)) return ms;
    context.addIssue({ code: 'custom', message: 'must be a date or an instant, such as 2026-11-15' });
    return z.NEVER;
  });

/** A timestamp in ISO 8601. */
export function toTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}
