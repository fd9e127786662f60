import { z } from 'zod';
import { NANO_MAX, parseUsd } from '../../domain/accounts/ledger/money.ts';

/** A point in time on the wire. */
export const TimestampSchema = z.string().meta({ format: 'date-time' });

/** An amount of US dollars as a decimal string, exact to nine decimals. */
export const UsdSchema = z.string().meta({ examples: ['12.50'] });

/** US dollars in, nano-dollars out. Numbers are taken too, but strings are exact. */
export function usdInput(options: { readonly mayBeNegative?: boolean } = {}) {
  const { mayBeNegative = false } = options;
  return z
    .union([z.string(), z.number()])
    .meta({ description: 'US dollars, such as `"12.50"`.' })
    .transform((given, context) => {
      const nano = parseUsd(typeof given === 'number' ? plainNumber(given) : given);
      const isFine = nano !== undefined && Math.abs(nano) <= NANO_MAX && (mayBeNegative || nano >= 0);
      if (isFine) return nano;
      context.addIssue({
        code: 'custom',
        message: 'must be an amount of US dollars with at most nine decimals',
      });
      return z.NEVER;
    });
}

// Small numbers would otherwise be written as 1e-7.
function plainNumber(value: number): string {
  return Number.isFinite(value) ? value.toFixed(9).replace(/\.?0+$/, '') : '';
}

/** The time of a day or of an instant, `2026-11-15` or `2026-11-15T12:00:00Z`, in milliseconds. */
export const TimeInputSchema = z
  .string()
  .meta({ description: 'A day (UTC) or an instant, `2026-11-15` or `2026-11-15T12:00:00Z`.' })
  .transform((given, context) => {
    const ms = /^\d{4}-\d\d-\d\d(T.*)?$/.test(given) ? Date.parse(given) : Number.NaN;
    if (!Number.isNaN(ms)) return ms;
    context.addIssue({ code: 'custom', message: 'must be a day or an instant, such as 2026-11-15' });
    return z.NEVER;
  });

/** A time as clients read it. */
export function toTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}
