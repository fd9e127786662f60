/**
 * Money is counted in whole nano-dollars: billionths of a US dollar, as safe integers. The price of one byte
 * of text and of one second of audio are whole numbers at this scale, so that nothing is ever rounded.
 */
export const NANO_PER_USD = 1_000_000_000;

/** The most one account may own, pay in or spend: beyond it a number is no longer exact. */
export const NANO_MAX = 9_000_000 * NANO_PER_USD;

/** Refuses, as a programming error, what is no amount of money. */
export function assertNano(amountNano: number): void {
  if (!Number.isSafeInteger(amountNano) || amountNano < 0 || amountNano > NANO_MAX) {
    throw new RangeError(`Not an amount of money: ${amountNano}`);
  }
}

/** `12.5` or `0.000015` US dollars in nano-dollars; undefined for anything that is not exactly one. */
export function parseUsd(text: string): number | undefined {
  const parts = /^(-?)(\d{1,7})(?:\.(\d{1,9}))?$/.exec(text.trim());
  if (parts === null) return undefined;
  const [, sign, dollars = '', fraction = ''] = parts;
  const nano = Number(dollars) * NANO_PER_USD + Number(fraction.padEnd(9, '0'));
  if (nano > NANO_MAX) return undefined;
  return sign === '-' && nano > 0 ? -nano : nano;
}

/** The exact amount in US dollars, without zeros that say nothing: `0.00045`, `10`. */
export function formatUsd(amountNano: number): string {
  return formatDecimals(amountNano, 9)
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '');
}

/** The amount as clients know it, with six decimals. Cut, not rounded: nobody is shown more than there is. */
export function formatCredit(amountNano: number): string {
  return formatDecimals(amountNano, 6);
}

function formatDecimals(amountNano: number, decimals: number): string {
  const digits = String(Math.abs(amountNano)).padStart(10, '0');
  const text = `${digits.slice(0, -9)}.${digits.slice(-9).slice(0, decimals)}`;
  return amountNano < 0 ? `-${text}` : text;
}
