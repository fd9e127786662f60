import type { Currency } from './number-verbalizer.ts';

export type Gender = 'masculine' | 'feminine';

/** A noun that can be counted. */
export interface CountedNoun {
  readonly one: string;
  readonly many: string;
  readonly gender: Gender;
}

/** A currency's unit and, where prices use one, its hundredth. */
export interface CurrencyNames {
  readonly major: CountedNoun;
  readonly minor?: CountedNoun;
}

/** What a language brings to say an amount of money. */
export interface MoneyGrammar {
  readonly names: Readonly<Record<Currency, CurrencyNames>>;
  /** Stands between the unit and its hundredths: "con", "et", "e"; may be empty. */
  readonly joiner: readonly string[];
  /** The number and the noun together. */
  count(digits: string, noun: CountedNoun): readonly string[];
  decimal(integer: string, fraction: string): readonly string[];
}

/** Shorthand for a noun with its gender. */
export function noun(one: string, many: string, gender: Gender = 'masculine'): CountedNoun {
  return { one, many, gender };
}

/** Says an amount of money: hundredths by their own name, finer fractions as a decimal number. */
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
