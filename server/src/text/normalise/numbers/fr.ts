import { isQuantity, spellDigits, splitIntoGroups, splitWords, verbalizeFraction } from './digit-groups.ts';
import {
  type CountedNoun,
  type CurrencyNames,
  type GrammaticalGender,
  noun,
  verbalizeMoney,
} from './money.ts';
import type { Currency, NumberVerbalizer } from './number-verbalizer.ts';
import { type UnitNames, verbalizeUnit } from './unit-names.ts';

const DIGITS = splitWords('zéro un deux trois quatre cinq six sept huit neuf');
const BELOW_TWENTY = [
  ...DIGITS,
  ...splitWords('dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf'),
];
const TENS = splitWords('_ _ vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt');
/** Names above the thousand, long scale: each is a thousand times the previous one. */
const SCALES = splitWords('million milliard billion billiard trillion trilliard');
const MAX_DIGITS = 24;

const MONTHS = splitWords(
  'janvier février mars avril mai juin juillet août septembre octobre novembre décembre',
);

const CENT = noun('cent', 'cents');
const CENTIME = noun('centime', 'centimes');
const CURRENCY_NAMES: Readonly<Record<Currency, CurrencyNames>> = {
  USD: { major: noun('dollar', 'dollars'), minor: CENT },
  EUR: { major: noun('euro', 'euros'), minor: CENTIME },
  GBP: { major: noun('livre', 'livres', 'feminine'), minor: noun('penny', 'pence') },
  JPY: { major: noun('yen', 'yens') },
  CNY: { major: noun('yuan', 'yuans') },
  INR: { major: noun('roupie', 'roupies', 'feminine'), minor: noun('paisa', 'paisas') },
  BRL: { major: noun('réal', 'réaux'), minor: noun('centavo', 'centavos') },
  KRW: { major: noun('won', 'wons') },
  CHF: { major: noun('franc suisse', 'francs suisses'), minor: CENTIME },
  MXN: { major: noun('peso', 'pesos'), minor: noun('centavo', 'centavos') },
  CAD: { major: noun('dollar canadien', 'dollars canadiens'), minor: CENT },
  AUD: { major: noun('dollar australien', 'dollars australiens'), minor: CENT },
};

const UNITS: UnitNames = {
  km: ['kilomètre', 'kilomètres'],
  m: ['mètre', 'mètres'],
  cm: ['centimètre', 'centimètres'],
  mm: ['millimètre', 'millimètres'],
  'm²': ['mètre carré', 'mètres carrés'],
  'km²': ['kilomètre carré', 'kilomètres carrés'],
  'm³': ['mètre cube', 'mètres cubes'],
  kg: ['kilo', 'kilos'],
  g: ['gramme', 'grammes'],
  mg: ['milligramme', 'milligrammes'],
  t: ['tonne', 'tonnes'],
  l: ['litre', 'litres'],
  ml: ['millilitre', 'millilitres'],
  'km/h': ['kilomètre heure', 'kilomètres heure'],
  'm/s': ['mètre par seconde', 'mètres par seconde'],
  h: ['heure', 'heures'],
  min: ['minute', 'minutes'],
  s: ['seconde', 'secondes'],
  '°': ['degré', 'degrés'],
  '°C': ['degré Celsius', 'degrés Celsius'],
  '°F': ['degré Fahrenheit', 'degrés Fahrenheit'],
  Hz: ['hertz', 'hertz'],
  kHz: ['kilohertz', 'kilohertz'],
  MHz: ['mégahertz', 'mégahertz'],
  GHz: ['gigahertz', 'gigahertz'],
  W: ['watt', 'watts'],
  kW: ['kilowatt', 'kilowatts'],
  kWh: ['kilowattheure', 'kilowattheures'],
  V: ['volt', 'volts'],
  ko: ['kilooctet', 'kilooctets'],
  Mo: ['mégaoctet', 'mégaoctets'],
  Go: ['gigaoctet', 'gigaoctets'],
  To: ['téraoctet', 'téraoctets'],
  kB: ['kilooctet', 'kilooctets'],
  MB: ['mégaoctet', 'mégaoctets'],
  GB: ['gigaoctet', 'gigaoctets'],
  TB: ['téraoctet', 'téraoctets'],
};

const FEMININE =
  /(?:[ts]ions?|[^mst]ées?|ités?|[ae]nces?|[^t]ures?|ettes?|[^n]ies?|ades?|udes?|[aeu]illes?|esses?|euses?|i?ères?|aines?|onnes?)$|^(?:heures?|minutes?|secondes?|fois|pages?|femmes?|pommes?|villes?|maisons?|places?|choses?|voitures?|chambres?|tables?|lettres?|portes?|nuits?|mains?|parts?|parties?|livres? sterling|équipes?|voix|étapes?|tasses?|boîtes?|écoles?|rues?|années?|journées?)$/;
const MASCULINE_ANYWAY = /^(?:kilomètres?|.*mètres?|silences?|incendies?|génies?|frères?|pères?|murmures?)$/;
/** Words after a number that are not counted by it: "page 21 et 22". */
const NOT_COUNTED = /^(?:et|ou|de|du|des|à|au|aux|en|par|que|qui|avec|sans|pour|est|sont|y|ne|sur)?$/;

function genderOf(word: string): GrammaticalGender {
  const lower = word.toLowerCase();
  return !NOT_COUNTED.test(lower) && FEMININE.test(lower) && !MASCULINE_ANYWAY.test(lower)
    ? 'feminine'
    : 'masculine';
}

/** `isLast`: only a noun follows, so that "vingt" and "cent" are plural. */
function belowHundred(value: number, gender: GrammaticalGender, isLast: boolean): string[] {
  if (value === 1) return [gender === 'feminine' ? 'une' : 'un'];
  if (value < 20) return [BELOW_TWENTY[value]!];
  if (value === 80) return [isLast ? 'quatre-vingts' : 'quatre-vingt'];
  const tens = Math.floor(value / 10);
  const countsByTwenty = tens === 7 || tens === 9;
  const rest = (value % 10) + (countsByTwenty ? 10 : 0);
  if (rest === 0) return [TENS[tens]!];
  const unit = rest === 1 && gender === 'feminine' ? 'une' : BELOW_TWENTY[rest]!;
  const takesEt = value % 10 === 1 && value < 80;
  return takesEt ? [TENS[tens]!, 'et', unit] : [`${TENS[tens]}-${unit}`];
}

function belowThousand(value: number, gender: GrammaticalGender, isLast: boolean): string[] {
  const hundreds = Math.floor(value / 100);
  const rest = value % 100;
  return [
    ...(hundreds > 1 ? [DIGITS[hundreds]!] : []),
    ...(hundreds > 0 ? [hundreds > 1 && rest === 0 && isLast ? 'cents' : 'cent'] : []),
    ...(rest > 0 ? belowHundred(rest, gender, isLast) : []),
  ];
}

function say(digits: string, gender: GrammaticalGender): string[] {
  if (!isQuantity(digits, MAX_DIGITS)) return spellDigits(digits, DIGITS);
  if (digits === '0') return ['zéro'];
  const groups = splitIntoGroups(digits, 3);
  return groups.flatMap((value, index) => {
    const scale = groups.length - 1 - index;
    if (value === 0) return [];
    if (scale === 0) return belowThousand(value, gender, true);
    if (scale === 1) return [...(value > 1 ? belowThousand(value, 'masculine', false) : []), 'mille'];
    // A million is a noun: "deux cents millions" keeps its s, and it takes one itself.
    return [...belowThousand(value, 'masculine', true), SCALES[scale - 2]! + (value > 1 ? 's' : '')];
  });
}

function endsInNoun(words: readonly string[]): boolean {
  return /ll(?:ion|iard)s?$/.test(words.at(-1) ?? '');
}

function count(digits: string, counted: CountedNoun): string[] {
  const words = say(digits, counted.gender);
  const name = splitWords(digits === '0' || digits === '1' ? counted.one : counted.many);
  if (!endsInNoun(words)) return [...words, ...name];
  return /^[aeiouéèh]/.test(name[0]!)
    ? [...words, `d'${name[0]}`, ...name.slice(1)]
    : [...words, 'de', ...name];
}

function decimal(integer: string, fraction: string): string[] {
  const cardinal = (digits: string) => say(digits, 'masculine');
  return [...cardinal(integer), 'virgule', ...verbalizeFraction(fraction, cardinal, DIGITS)];
}

function ordinal(digits: string, mark: string): string[] | undefined {
  if (!isQuantity(digits, MAX_DIGITS) || digits === '0') return undefined;
  if (digits === '1') return [/r[eè]?e$/.test(mark) ? 'première' : 'premier'];
  if (digits === '2' && /^n?de?$/.test(mark)) return [mark.endsWith('e') ? 'seconde' : 'second'];
  const words = say(digits, 'masculine');
  const last = words.pop()!;
  const irregular: Readonly<Record<string, string>> = { cinq: 'cinquième', neuf: 'neuvième' };
  const [, head = '', tail = ''] = /^(.*-)?([^-]+)$/.exec(last)!;
  return [
    ...words,
    head + (irregular[tail] ?? `${tail.replace(/(?:e|(?<=vingt|cent|million|milliard)s)$/, '')}ième`),
  ];
}

/** French as spoken in France. */
export const frenchNumbers: NumberVerbalizer = {
  decimalSeparator: ',',
  groupSeparators: [' ', '\u00a0', '\u202f', '.'],
  ordinalMarks: ['ième', 'ieme', 'ère', 'ème', 'eme', 'nde', 'er', 're', 'nd', 'e'],
  minus: ['moins'],
  dateOrder: 'dmy',
  cardinal: (digits) => say(digits, 'masculine'),
  counting: (digits, nounAfter) => {
    const words = say(digits, genderOf(nounAfter));
    return endsInNoun(words) && !NOT_COUNTED.test(nounAfter.toLowerCase()) ? [...words, 'de'] : words;
  },
  ordinal,
  decimal,
  digits: (digits) => spellDigits(digits, DIGITS),
  percent: (words) => [...words, 'pour', 'cent'],
  currency: (code, integer, fraction) =>
    verbalizeMoney({ names: CURRENCY_NAMES, joiner: ['et'], count, decimal }, code, integer, fraction),
  currencyName: (code) => splitWords(CURRENCY_NAMES[code].major.many),
  year: (digits) => say(digits, 'masculine'),
  date: ({ day, month, year }) => [
    ...(day === undefined ? [] : day === 1 ? ['premier'] : say(String(day), 'masculine')),
    MONTHS[month - 1] ?? '',
    ...(year === undefined ? [] : say(year, 'masculine')),
  ],
  time: (hour, minute) => [
    ...say(String(hour), 'feminine'),
    hour > 1 ? 'heures' : 'heure',
    ...(minute === 0 ? [] : say(String(minute), 'feminine')),
  ],
  unit: (symbol, isPlural) => verbalizeUnit(UNITS, symbol, isPlural),
};
