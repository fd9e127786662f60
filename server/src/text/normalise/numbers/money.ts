import type { Currency } from './number-verbalizer.ts';

export type GrammaticalGender = 'masculine' | 'feminine';

/** A countable noun. */
export interface CountedNoun {
  readonly one: string;
  readonly many: string;
  readonly gender: GrammaticalGender;
}

/** A currency and its hundredth, if in use. */
export interface CurrencyNames {
  readonly major: CountedNoun;
  readonly minor?: CountedNoun;
}

/** The grammar of amounts of money in a language. */
export interface MoneyGrammar {
  readonly names: Readonly<Record<Currency, CurrencyNames>>;
  /** Between the currency and its hundredths: "con", "et", "e"; may be empty. */
  readonly joiner: readonly string[];
  /** The number with the noun. */
  count(digits: string, noun: CountedNoun): readonly string[];
  decimal(integer: string, fraction: string): readonly string[];
}

export function noun(one: string, many: string, gender: GrammaticalGender = 'masculine'): CountedNoun {
  return { one, many, gender };
}

/** Verbalizes an amount of money: hundredths by their name, finer fractions as a decimal number. */
export function verbalizeMoney(
  grammar: MoneyGrammar,
  code: Currency,
  integer: string,
  fraction: string | undefined,
): readonly string[] {
  const { major, minor } = grammar.names[code];
  const significant = (fraction ?? '').replace(/0+$/, '');
  if (significant === '') return grammar.count(integer, major);
  if (minor === undefined || significant.length > 2) {
    return [...grammar.decimal(integer, significant), ...major.many.split(' ')];
  }
  const hundredths = String(Number(significant.padEnd(2, '0')));
  const small = grammar.count(hundredths, minor);
  return /^0+$/.test(integer) ? small : [...grammar.count(integer, major), ...grammar.joiner, ...small];
}
