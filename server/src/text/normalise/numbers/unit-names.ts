import { splitWords } from './digit-groups.ts';

/** Unit names by symbol: singular and plural. */
export type UnitNames = Readonly<Record<string, readonly [one: string, many: string]>>;

/** The name of a unit. Wrong capitalization ("Km", "L") is accepted if it is unambiguous. */
export function verbalizeUnit(
  names: UnitNames,
  symbol: string,
  isPlural: boolean,
): readonly string[] | undefined {
  const isCaseInsensitive = symbol.length > 1 || symbol === 'L';
  const pair = names[symbol] ?? (isCaseInsensitive ? names[symbol.toLowerCase()] : undefined);
  return pair && splitWords(isPlural ? pair[1] : pair[0]);
}
