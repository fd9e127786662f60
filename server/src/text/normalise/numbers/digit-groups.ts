export function splitWords(text: string): string[] {
  return text.split(' ').filter((word) => word !== '');
}

/** Whether digits are a quantity: no leading zeros, which codes have, and within the number names. */
export function isQuantity(digits: string, maxLength: number): boolean {
  return digits === '0' || (digits.length <= maxLength && !digits.startsWith('0') && digits !== '');
}

/** Splits digits into groups of `size`, most significant first: 1234567 by 3 gives 1, 234, 567. */
export function splitIntoGroups(digits: string, size: number): number[] {
  const groups: number[] = [];
  for (let end = digits.length; end > 0; end -= size) {
    groups.unshift(Number(digits.slice(Math.max(0, end - size), end)));
  }
  return groups;
}

/** Verbalizes digit by digit with the ten given names. */
export function spellDigits(digits: string, names: readonly string[]): string[] {
  return [...digits].map((digit) => names[Number(digit)] ?? '').filter((name) => name !== '');
}

/**
 * Verbalizes the digits after a decimal comma in Romance languages: up to two as a number ("virgule quatorze"), longer
 * ones and those with leading zeros digit by digit.
 */
export function verbalizeFraction(
  fraction: string,
  cardinal: (digits: string) => readonly string[],
  names: readonly string[],
): readonly string[] {
  return fraction.length > 2 || fraction.startsWith('0') ? spellDigits(fraction, names) : cardinal(fraction);
}
