import { splitWords } from './digit-groups.ts';

/** A language's names of units by symbol: after one, and after any other number. */
export type UnitNames = Readonly<Record<string, readonly [one: string, many: string]>>;

/** The name of a unit. Careless capitals ("Km", "L") are understood where no other unit is meant by them. */
export function verbalizeUnit(
  names: UnitNames,
  symbol: string,
  isPlural: boolean,
): readonly string[] | undefined {
  const isCareless = symbol.length > 1 || symbol === 'L';
  const pair = names[symbol] ?? (isCareless ? names[symbol.toLowerCase()] : undefined);
  return pair && splitWords(isPlural ? pair[1] : pair[0]);
}
