/**
 * Amounts of money are integers in nano-dollars (1e-9 US dollars), within the safe integers. The prices of one byte
 * of text and of one second of audio are integers at this scale, so amounts are never rounded.
 */
export const NANO_PER_USD = 1_000_000_000;

/** Limit of the balance, the top-ups and the spending of one account. Larger numbers would not be exact. */
export const NANO_MAX = 9_000_000 * NANO_PER_USD;

/** Throws a `RangeError` for a number that is not an amount of money. */
export function assertNano(amountNano: number): void {
  if (!Number.isSafeInteger(amountNano) || amountNano < 0 || amountNano > NANO_MAX) {
    throw new RangeError(`Not an amount of money: ${amountNano}`);
  }
}

/** Parses US dollars such as `12.5` or `0.000015`. Undefined for other text and for amounts below a nano-dollar. */
export function parseUsd(text: string): number | undefined {
  const parts = /^(-?)(\d{1,7})(?:\.(\d{1,9}))?$/.exec(text.trim());
  if (parts === null) return undefined;
  const [, sign, dollars = '', fraction = ''] = parts;
  const nano = Number(dollars) * NANO_PER_USD + Number(fraction.padEnd(9, '0'));
  if (nano > NANO_MAX) return undefined;
  return sign === '-' && nano > 0 ? -nano : nano;
}

/** The exact amount in US dollars without trailing zeros: `0.00045`, `10`. */
export function formatUsd(amountNano: number): string {
  return formatDecimals(amountNano, 9)
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '');
}

/** The amount with six decimals, as clients expect it. Truncated, so that it never exceeds the balance. */
export function formatCredit(amountNano: number): string {
  return formatDecimals(amountNano, 6);
}

function formatDecimals(amountNano: number, decimals: number): string {
  const digits = String(Math.abs(amountNano)).padStart(10, '0');
  const text = `${digits.slice(0, -9)}.${digits.slice(-9).slice(0, decimals)}`;
  return amountNano < 0 ? `-${text}` : text;
}
