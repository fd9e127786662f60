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

const DIGITS = splitWords('zero uno due tre quattro cinque sei sette otto nove');
const BELOW_TWENTY = [
  ...DIGITS,
  ...splitWords('dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove'),
];
const TENS = splitWords('_ _ venti trenta quaranta cinquanta sessanta settanta ottanta novanta');
/** Names above the thousand, long scale: each is a thousand times the previous one. */
const SCALES = [
  ['milione', 'milioni'],
  ['miliardo', 'miliardi'],
  ['bilione', 'bilioni'],
  ['biliardo', 'biliardi'],
  ['trilione', 'trilioni'],
  ['triliardo', 'triliardi'],
] as const;
const MAX_DIGITS = 24;

const ORDINALS = splitWords('_ primo secondo terzo quarto quinto sesto settimo ottavo nono decimo');

const MONTHS = splitWords(
  'gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre',
);

const CENTESIMO = noun('centesimo', 'centesimi');
const CURRENCY_NAMES: Readonly<Record<Currency, CurrencyNames>> = {
  USD: { major: noun('dollaro', 'dollari'), minor: CENTESIMO },
  EUR: { major: noun('euro', 'euro'), minor: CENTESIMO },
  GBP: { major: noun('sterlina', 'sterline', 'feminine'), minor: noun('penny', 'pence') },
  JPY: { major: noun('yen', 'yen') },
  CNY: { major: noun('yuan', 'yuan') },
  INR: { major: noun('rupia', 'rupie', 'feminine'), minor: noun('paisa', 'paise', 'feminine') },
  BRL: { major: noun('real', 'reais'), minor: noun('centavo', 'centavos') },
  KRW: { major: noun('won', 'won') },
  CHF: { major: noun('franco svizzero', 'franchi svizzeri'), minor: CENTESIMO },
  MXN: { major: noun('peso', 'pesos'), minor: noun('centavo', 'centavos') },
  CAD: { major: noun('dollaro canadese', 'dollari canadesi'), minor: CENTESIMO },
  AUD: { major: noun('dollaro australiano', 'dollari australiani'), minor: CENTESIMO },
};

const UNITS: UnitNames = {
  km: ['chilometro', 'chilometri'],
  m: ['metro', 'metri'],
  cm: ['centimetro', 'centimetri'],
  mm: ['millimetro', 'millimetri'],
  'm²': ['metro quadrato', 'metri quadrati'],
  'km²': ['chilometro quadrato', 'chilometri quadrati'],
  'm³': ['metro cubo', 'metri cubi'],
  kg: ['chilo', 'chili'],
  g: ['grammo', 'grammi'],
  mg: ['milligrammo', 'milligrammi'],
  t: ['tonnellata', 'tonnellate'],
  l: ['litro', 'litri'],
  ml: ['millilitro', 'millilitri'],
  'km/h': ['chilometro orario', 'chilometri orari'],
  'm/s': ['metro al secondo', 'metri al secondo'],
  h: ['ora', 'ore'],
  min: ['minuto', 'minuti'],
  s: ['secondo', 'secondi'],
  '°': ['grado', 'gradi'],
  '°C': ['grado Celsius', 'gradi Celsius'],
  '°F': ['grado Fahrenheit', 'gradi Fahrenheit'],
  Hz: ['hertz', 'hertz'],
  kHz: ['chilohertz', 'chilohertz'],
  MHz: ['megahertz', 'megahertz'],
  GHz: ['gigahertz', 'gigahertz'],
  W: ['watt', 'watt'],
  kW: ['chilowatt', 'chilowatt'],
  kWh: ['chilowattora', 'chilowattora'],
  V: ['volt', 'volt'],
  kB: ['kilobyte', 'kilobyte'],
  MB: ['megabyte', 'megabyte'],
  GB: ['gigabyte', 'gigabyte'],
  TB: ['terabyte', 'terabyte'],
};

/** Words after a number that are not counted by it: "il numero 1 di". */
const NOT_COUNTED = /^(?:di|del|della|dei|e|ed|o|a|ad|al|in|per|che|con|da|è|sono|non|su)?$/;

/** The form of "one" before a noun, by its first sound and its ending. */
function oneBefore(word: string): string {
  const lower = word.toLowerCase();
  if (NOT_COUNTED.test(lower)) return 'uno';
  if (/(?:a|zione|sione|gione|tà|tù)$|^(?:mano|notte|volte|parte|classe|chiave|moto|foto)$/.test(lower))
    return 'una';
  return /^(?:s[^aeiouàèéìòù]|z|gn|ps|pn|x|y|i[aeou])/.test(lower) ? 'uno' : 'un';
}

/** One word, the vowel of the tens dropped before uno and otto, and tre accented at the end of a compound. */
function belowHundred(value: number): string {
  if (value < 20) return BELOW_TWENTY[value]!;
  const tens = TENS[Math.floor(value / 10)]!;
  const unit = value % 10;
  if (unit === 0) return tens;
  if (unit === 1 || unit === 8) return tens.slice(0, -1) + DIGITS[unit]!;
  return tens + (unit === 3 ? 'tré' : DIGITS[unit]!);
}

function belowThousand(value: number): string {
  const hundreds = Math.floor(value / 100);
  if (hundreds === 0) return belowHundred(value);
  const head = `${hundreds > 1 ? DIGITS[hundreds] : ''}cento`;
  const rest = value % 100;
  if (rest === 0) return head;
  if (rest === 3) return `${head}tré`;
  const tail = belowHundred(rest);
  return (tail.startsWith('ott') ? head.slice(0, -1) : head) + tail;
}

/** A number below a million is written as one word. */
function belowMillion(value: number): string {
  const thousands = Math.floor(value / 1000);
  const rest = value % 1000;
  const head =
    thousands === 0
      ? ''
      : thousands === 1
        ? 'mille'
        : `${belowThousand(thousands).replace(/tré$/, 'tre')}mila`;
  if (rest === 0) return head;
  return head !== '' && rest === 3 ? `${head}tré` : head + belowThousand(rest);
}

function say(digits: string): string[] {
  if (!isQuantity(digits, MAX_DIGITS)) return spellDigits(digits, DIGITS);
  if (digits === '0') return ['zero'];
  const low = Number(digits.slice(-6));
  const high = splitIntoGroups(digits.slice(0, -6), 3);
  const words = high.flatMap((value, index) => {
    if (value === 0) return [];
    const scale = SCALES[high.length - 1 - index]!;
    return value === 1 ? ['un', scale[0]] : [belowThousand(value), scale[1]];
  });
  return low > 0 ? [...words, belowMillion(low)] : words;
}

function endsInNoun(words: readonly string[]): boolean {
  return /li(?:on[ei]|ard[oi])$/.test(words.at(-1) ?? '');
}

function count(digits: string, counted: CountedNoun): string[] {
  if (digits === '1') return [oneOf(counted), ...splitWords(counted.one)];
  const words = say(digits);
  return [...words, ...(endsInNoun(words) ? ['di'] : []), ...splitWords(counted.many)];
}

function oneOf({ one, gender }: { one: string; gender: GrammaticalGender }): string {
  return gender === 'feminine' ? 'una' : oneBefore(one);
}

function decimal(integer: string, fraction: string): string[] {
  return [...say(integer), 'virgola', ...verbalizeFraction(fraction, say, DIGITS)];
}

function ordinal(digits: string, mark: string): string[] | undefined {
  if (!isQuantity(digits, 6) || digits === '0') return undefined;
  const value = Number(digits);
  const cardinal = belowMillion(value);
  // Ventitreesimo and ventiseiesimo keep the vowel of the unit; every other cardinal loses its last one.
  const stem = cardinal
    .replace(/tré$/, 'tree')
    .replace(/mila$/, 'mill')
    .replace(/(?<!se)[aeio]$/, '');
  const word = ORDINALS[value] ?? `${stem}esimo`;
  return [/a$|ª/.test(mark) ? word.replace(/o$/, 'a') : word];
}

export const italianNumbers: NumberVerbalizer = {
  decimalSeparator: ',',
  groupSeparators: ['.', ' ', '\u00a0', '\u202f', "'"],
  ordinalMarks: ['esimo', 'esima', '.º', '.ª', 'º', 'ª', 'o', 'a'],
  minus: ['meno'],
  dateOrder: 'dmy',
  cardinal: say,
  counting: (digits, nounAfter) => {
    if (digits === '1') return [oneBefore(nounAfter)];
    const words = say(digits);
    return endsInNoun(words) && !NOT_COUNTED.test(nounAfter.toLowerCase()) ? [...words, 'di'] : words;
  },
  ordinal,
  decimal,
  digits: (digits) => spellDigits(digits, DIGITS),
  percent: (words) => [...words, 'per', 'cento'],
  currency: (code, integer, fraction) =>
    verbalizeMoney({ names: CURRENCY_NAMES, joiner: ['e'], count, decimal }, code, integer, fraction),
  currencyName: (code) => splitWords(CURRENCY_NAMES[code].major.many),
  year: say,
  date: ({ day, month, year }) => [
    ...(day === undefined ? [] : day === 1 ? ['primo'] : say(String(day))),
    MONTHS[month - 1] ?? '',
    ...(year === undefined ? [] : say(year)),
  ],
  time: (hour, minute) => {
    const hours = hour === 1 ? ['una'] : say(String(hour));
    if (minute === 0) return hours;
    if (hour <= 12 && minute === 30) return [...hours, 'e', 'mezza'];
    if (hour <= 12 && minute === 15) return [...hours, 'e', 'un', 'quarto'];
    return [...hours, 'e', ...say(String(minute))];
  },
  unit: (symbol, isPlural) => verbalizeUnit(UNITS, symbol, isPlural),
};
