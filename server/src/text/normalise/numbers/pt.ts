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

const DIGITS = splitWords('zero um dois três quatro cinco seis sete oito nove');
const BELOW_TWENTY = [
  ...DIGITS,
  ...splitWords('dez onze doze treze quatorze quinze dezesseis dezessete dezoito dezenove'),
];
const TENS = splitWords('_ _ vinte trinta quarenta cinquenta sessenta setenta oitenta noventa');
const HUNDREDS = splitWords(
  '_ cento duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos',
);
/** Names above the thousand, short scale (Brazil). */
const SCALES = [
  ['milhão', 'milhões'],
  ['bilhão', 'bilhões'],
  ['trilhão', 'trilhões'],
  ['quatrilhão', 'quatrilhões'],
  ['quintilhão', 'quintilhões'],
  ['sextilhão', 'sextilhões'],
] as const;
const MAX_DIGITS = 24;

const ORDINAL_UNITS = splitWords('_ primeiro segundo terceiro quarto quinto sexto sétimo oitavo nono');
const ORDINAL_TENS = splitWords(
  '_ décimo vigésimo trigésimo quadragésimo quinquagésimo sexagésimo septuagésimo octogésimo nonagésimo',
);
const ORDINAL_HUNDREDS = splitWords(
  '_ centésimo ducentésimo trecentésimo quadringentésimo quingentésimo sexcentésimo septingentésimo octingentésimo nongentésimo',
);

const MONTHS = splitWords(
  'janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro',
);

const CENTAVO = noun('centavo', 'centavos');
const CURRENCY_NAMES: Readonly<Record<Currency, CurrencyNames>> = {
  USD: { major: noun('dólar', 'dólares'), minor: CENTAVO },
  EUR: { major: noun('euro', 'euros'), minor: noun('centavo', 'centavos') },
  GBP: { major: noun('libra', 'libras', 'feminine'), minor: noun('penny', 'pence') },
  JPY: { major: noun('iene', 'ienes') },
  CNY: { major: noun('iuane', 'iuanes') },
  INR: { major: noun('rupia', 'rupias', 'feminine'), minor: noun('paisa', 'paisas', 'feminine') },
  BRL: { major: noun('real', 'reais'), minor: CENTAVO },
  KRW: { major: noun('won', 'wons') },
  CHF: { major: noun('franco suíço', 'francos suíços'), minor: noun('cêntimo', 'cêntimos') },
  MXN: { major: noun('peso', 'pesos'), minor: CENTAVO },
  CAD: { major: noun('dólar canadense', 'dólares canadenses'), minor: CENTAVO },
  AUD: { major: noun('dólar australiano', 'dólares australianos'), minor: CENTAVO },
};

const UNITS: UnitNames = {
  km: ['quilômetro', 'quilômetros'],
  m: ['metro', 'metros'],
  cm: ['centímetro', 'centímetros'],
  mm: ['milímetro', 'milímetros'],
  'm²': ['metro quadrado', 'metros quadrados'],
  'km²': ['quilômetro quadrado', 'quilômetros quadrados'],
  'm³': ['metro cúbico', 'metros cúbicos'],
  kg: ['quilo', 'quilos'],
  g: ['grama', 'gramas'],
  mg: ['miligrama', 'miligramas'],
  t: ['tonelada', 'toneladas'],
  l: ['litro', 'litros'],
  ml: ['mililitro', 'mililitros'],
  'km/h': ['quilômetro por hora', 'quilômetros por hora'],
  'm/s': ['metro por segundo', 'metros por segundo'],
  h: ['hora', 'horas'],
  min: ['minuto', 'minutos'],
  s: ['segundo', 'segundos'],
  '°': ['grau', 'graus'],
  '°C': ['grau Celsius', 'graus Celsius'],
  '°F': ['grau Fahrenheit', 'graus Fahrenheit'],
  Hz: ['hertz', 'hertz'],
  kHz: ['quilohertz', 'quilohertz'],
  MHz: ['megahertz', 'megahertz'],
  GHz: ['gigahertz', 'gigahertz'],
  W: ['watt', 'watts'],
  kW: ['quilowatt', 'quilowatts'],
  kWh: ['quilowatt-hora', 'quilowatts-hora'],
  V: ['volt', 'volts'],
  kB: ['quilobyte', 'quilobytes'],
  MB: ['megabyte', 'megabytes'],
  GB: ['gigabyte', 'gigabytes'],
  TB: ['terabyte', 'terabytes'],
};

/** Words after a number that are not counted by it: "dia 21 de maio". */
const NOT_COUNTED =
  /^(?:de|do|da|dos|das|e|ou|a|à|ao|em|no|na|por|que|com|sem|para|é|são|não|se|mais|menos)?$/;
const FEMININE =
  /(?:as?|ção|ções|são|sões|dades?|agem|agens|tudes?)$|^(?:mãos?|mulher(?:es)?|noites?|tardes?|classes?|vez|vezes|partes?|gente|flor(?:es)?|leis?|chaves?|fases?|frases?|bases?|séries?|fotos?|motos?|paredes?|pontes?|cruzes?|luzes?|mães?|maçãs?|manhãs?|irmãs?)$/;
const MASCULINE_IN_A =
  /^(?:dias?|mapas?|planetas?|poetas?|.*(?:[bt]lemas?|stemas?|gramas?|iomas?)|temas?|lemas?|dramas?|climas?|poemas?|quilogramas?|gramas?|miligramas?|colegas?)$/;

function genderOf(word: string): GrammaticalGender {
  const lower = word.toLowerCase();
  return !NOT_COUNTED.test(lower) && FEMININE.test(lower) && !MASCULINE_IN_A.test(lower)
    ? 'feminine'
    : 'masculine';
}

/** Hundreds, tens and units are joined by "e". */
function belowThousand(value: number, gender: GrammaticalGender): string[] {
  if (value === 100) return ['cem'];
  const isFeminine = gender === 'feminine';
  const parts: string[] = [];
  if (value > 100) {
    const hundreds = HUNDREDS[Math.floor(value / 100)]!;
    parts.push(isFeminine ? hundreds.replace(/os$/, 'as') : hundreds);
  }
  const rest = value % 100;
  if (rest >= 20) parts.push(TENS[Math.floor(rest / 10)]!);
  const unit = rest < 20 ? rest : rest % 10;
  if (unit > 0) parts.push(isFeminine && unit < 3 ? ['', 'uma', 'duas'][unit]! : BELOW_TWENTY[unit]!);
  return parts.flatMap((part, index) => (index === 0 ? [part] : ['e', part]));
}

function say(digits: string, gender: GrammaticalGender): string[] {
  if (!isQuantity(digits, MAX_DIGITS)) return spellDigits(digits, DIGITS);
  if (digits === '0') return ['zero'];
  const groups = splitIntoGroups(digits, 3);
  const last = groups.findLastIndex((value) => value > 0);
  return groups.flatMap((value, index) => {
    if (value === 0) return [];
    const scale = groups.length - 1 - index;
    const words = verbalizeGroup(value, scale, gender);
    // The last group is joined by "e" when it is short: mil e cem, mil e dois, but mil cento e dois.
    const isJoined = index === last && index > 0 && (value < 100 || value % 100 === 0);
    return isJoined ? ['e', ...words] : words;
  });
}

function verbalizeGroup(value: number, scale: number, gender: GrammaticalGender): string[] {
  if (scale === 0) return belowThousand(value, gender);
  if (scale === 1) return [...(value > 1 ? belowThousand(value, gender) : []), 'mil'];
  const names = SCALES[scale - 2]!;
  return [...belowThousand(value, 'masculine'), value === 1 ? names[0] : names[1]];
}

function endsInNoun(words: readonly string[]): boolean {
  return /lh(?:ão|ões)$/.test(words.at(-1) ?? '');
}

function count(digits: string, counted: CountedNoun): string[] {
  const words = say(digits, counted.gender);
  const name = splitWords(digits === '1' ? counted.one : counted.many);
  return [...words, ...(endsInNoun(words) ? ['de'] : []), ...name];
}

function decimal(integer: string, fraction: string): string[] {
  const cardinal = (digits: string) => say(digits, 'masculine');
  return [...cardinal(integer), 'vírgula', ...verbalizeFraction(fraction, cardinal, DIGITS)];
}

function ordinal(digits: string, mark: string): string[] | undefined {
  const value = Number(digits);
  if (digits.startsWith('0') || value > 1000) return undefined;
  const words =
    value === 1000
      ? ['milésimo']
      : [
          ORDINAL_HUNDREDS[Math.floor(value / 100)]!,
          ORDINAL_TENS[Math.floor(value / 10) % 10]!,
          ORDINAL_UNITS[value % 10]!,
        ].filter((word) => word !== '_');
  return /a$|ª/.test(mark) ? words.map((word) => word.replace(/o$/, 'a')) : words;
}

/** Portuguese as spoken in Brazil. */
export const portugueseNumbers: NumberVerbalizer = {
  decimalSeparator: ',',
  groupSeparators: ['.', ' ', '\u00a0', '\u202f'],
  ordinalMarks: ['.º', '.ª', 'º', 'ª', 'o', 'a'],
  minus: ['menos'],
  dateOrder: 'dmy',
  cardinal: (digits) => say(digits, 'masculine'),
  counting: (digits, nounAfter) => {
    const words = say(digits, genderOf(nounAfter));
    return endsInNoun(words) && !NOT_COUNTED.test(nounAfter.toLowerCase()) ? [...words, 'de'] : words;
  },
  ordinal,
  decimal,
  digits: (digits) => spellDigits(digits, DIGITS),
  percent: (words) => [...words, 'por', 'cento'],
  currency: (code, integer, fraction) =>
    verbalizeMoney({ names: CURRENCY_NAMES, joiner: ['e'], count, decimal }, code, integer, fraction),
  currencyName: (code) => splitWords(CURRENCY_NAMES[code].major.many),
  year: (digits) => say(digits, 'masculine'),
  date: ({ day, month, year }) => [
    ...(day === undefined ? [] : [...(day === 1 ? ['primeiro'] : say(String(day), 'masculine')), 'de']),
    MONTHS[month - 1] ?? '',
    ...(year === undefined ? [] : ['de', ...say(year, 'masculine')]),
  ],
  time: (hour, minute) => {
    const hours = say(String(hour), 'feminine');
    if (minute === 0) return [...hours, hour === 1 || hour === 0 ? 'hora' : 'horas'];
    if (hour <= 12 && minute === 30) return [...hours, 'e', 'meia'];
    return [...hours, 'e', ...say(String(minute), 'masculine')];
  },
  unit: (symbol, isPlural) => verbalizeUnit(UNITS, symbol, isPlural),
};
