import { matchAt } from '../../match-at.ts';
import { say, type VerbalizationContext, type VerbalizationRule } from '../verbalization.ts';
import type { Dialect } from './dialect.ts';

/** Roman numerals that are identified by their context: Henry VIII, Chapter IV, World War II. */
export function romanNumeralRule({ numbers }: Dialect): VerbalizationRule {
  return (context, at) => {
    const war = matchAt(WORLD_WAR, context.text, at)?.[1];
    if (war) {
      const end = at + 2 + war.length;
      return { words: say(['World', 'War', ...numbers.cardinal(String(war.length))], at, end), end };
    }
    const numeral = matchAt(ROMAN, context.text, at)?.[0];
    if (!numeral) return undefined;
    const end = at + numeral.length;
    const digits = String(romanValue(numeral));
    const kind = kindOf(numeral, context, end);
    if (kind === undefined) return undefined;
    const ordinal = numbers.ordinal(digits, '') ?? [];
    if (kind === 'century') return { words: say(ordinal, at, end), end };
    if (kind === 'name') {
      const possessive = matchAt(POSSESSIVE, context.text, end)?.[0] ?? '';
      const nameEnd = end + possessive.length;
      const last = `${ordinal.at(-1)}${possessive}`;
      return { words: say(['the', ...ordinal.slice(0, -1), last], at, nameEnd), end: nameEnd };
    }
    return { words: say(numbers.cardinal(digits), at, end), end };
  };
}

const WORLD_WAR = /WW(I{1,3})(?![\p{L}\d])/uy;
const ROMAN = /(?=[IVXLC])(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})(?![\p{L}\d]|'(?!s))/uy;
const POSSESSIVE = /'s(?!\p{L})/uy;
const VALUES: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10, L: 50, C: 100 };

function romanValue(numeral: string): number {
  let total = 0;
  for (let i = 0; i < numeral.length; i++) {
    const [value, next] = [VALUES[numeral[i]!]!, VALUES[numeral[i + 1] ?? ''] ?? 0];
    total += value < next ? -value : value;
  }
  return total;
}

const COUNTED = new Set(
  (
    'chapter part act scene volume vol vol. book section article phase type class stage level appendix episode season war bowl title ' +
    'figure table round step grade category unit lesson module mark schedule division group tier page canto verse symphony mk mk.'
  ).split(' '),
);
const RULERS = new Set(
  (
    'henry elizabeth charles george louis paul edward james william richard catherine philip napoleon ivan peter alexander ' +
    'nicholas pius benedict leo francis gregory innocent ramses ramesses frederick wilhelm gustav carl christian haakon harald ' +
    'margrethe felipe carlos alfonso umberto emmanuel robert malcolm mary urban clement sixtus boniface julius ptolemy ' +
    'cleopatra xerxes darius thutmose amenhotep otto leopold maximilian ferdinand joseph franz albert baldwin john isabella ' +
    'eric erik oscar adolf constantine justinian theodosius akbar rama suleiman mehmed murad selim ahmed abdul stephen edgar ' +
    'harold cnut david kenneth alexei olaf olav manuel pedro sancho henri philippe charlemagne rudolf matthias sigismund wenceslas'
  ).split(' '),
);
/** The last ruler of a name, where a larger numeral is no numeral: "Malcolm X". */
const LAST_OF_NAME: ReadonlyMap<string, number> = new Map([['malcolm', 4]]);
const CROWNS = /^(?:king|queen|pope|emperor|empress|tsar|czar|kaiser|sultan|prince|princess|duke|saint)$/i;
const CENTURY_NEXT = /\s(?:century|centuries|dynasty|arrondissement)(?!\p{L})/uy;
const ENDS_NAME =
  /\s?(?:$|[,.;:!?)”'–—-]|(?:of|was|is|had|and|in|to|reigned|ruled|died|became|at|on|the|who|by|from|as|for|with)(?!\p{L}))/uy;

function kindOf(
  numeral: string,
  context: VerbalizationContext,
  end: number,
): 'count' | 'name' | 'century' | undefined {
  const { text, previous, beforePrevious } = context;
  const lower = previous.toLowerCase();
  if (matchAt(CENTURY_NEXT, text, end)) return 'century';
  if (COUNTED.has(lower))
    return numeral === 'I' && lower !== 'war' && !matchAt(ENDS_NAME, text, end) ? undefined : 'count';
  const isName = /^\p{Lu}\p{Ll}/u.test(previous);
  if (isName && romanValue(numeral) > (LAST_OF_NAME.get(lower) ?? Number.POSITIVE_INFINITY)) return undefined;
  if (isName && (RULERS.has(lower) || CROWNS.test(beforePrevious))) {
    return numeral.length > 1 || matchAt(ENDS_NAME, text, end) ? 'name' : undefined;
  }
  // After any other capitalized word, a numeral must have several letters: "Apollo XI", "Rocky II".
  return isName && numeral.length > 1 && numeral !== 'XL' && numeral !== 'CC' ? 'count' : undefined;
}
