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

/** Without a noun ("veintiuno"), or before one ("veintiún días", "veintiuna horas"). */
type Form = 'alone' | GrammaticalGender;

const DIGITS = splitWords('cero uno dos tres cuatro cinco seis siete ocho nueve');
const TEENS = splitWords('diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve');
const TWENTIES = splitWords(
  'veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve',
);
const TENS = splitWords('_ _ _ treinta cuarenta cincuenta sesenta setenta ochenta noventa');
const HUNDREDS = splitWords(
  '_ ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos',
);
/** The long scale: each step is a million times the one before. */
const SCALES = [
  ['', ''],
  ['millón', 'millones'],
  ['billón', 'billones'],
  ['trillón', 'trillones'],
  ['cuatrillón', 'cuatrillones'],
] as const;
const MAX_DIGITS = 30;

const ORDINAL_UNITS = splitWords('_ primero segundo tercero cuarto quinto sexto séptimo octavo noveno');
const ORDINAL_TEENS = splitWords(
  'décimo undécimo duodécimo decimotercero decimocuarto decimoquinto decimosexto decimoséptimo decimoctavo decimonoveno',
);
const ORDINAL_TENS = splitWords(
  '_ _ vigésimo trigésimo cuadragésimo quincuagésimo sexagésimo septuagésimo octogésimo nonagésimo',
);
const ORDINAL_HUNDREDS = splitWords(
  '_ centésimo ducentésimo tricentésimo cuadringentésimo quingentésimo sexcentésimo septingentésimo octingentésimo noningentésimo',
);

const MONTHS = splitWords(
  'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre',
);

const CENTAVO = noun('centavo', 'centavos');
const CURRENCY_NAMES: Readonly<Record<Currency, CurrencyNames>> = {
  USD: { major: noun('dólar', 'dólares'), minor: CENTAVO },
  EUR: { major: noun('euro', 'euros'), minor: noun('céntimo', 'céntimos') },
  GBP: { major: noun('libra', 'libras', 'feminine'), minor: noun('penique', 'peniques') },
  JPY: { major: noun('yen', 'yenes') },
  CNY: { major: noun('yuan', 'yuanes') },
  INR: { major: noun('rupia', 'rupias', 'feminine'), minor: noun('paisa', 'paisas', 'feminine') },
  BRL: { major: noun('real', 'reales'), minor: CENTAVO },
  KRW: { major: noun('won', 'wones') },
  CHF: { major: noun('franco suizo', 'francos suizos'), minor: noun('céntimo', 'céntimos') },
  MXN: { major: noun('peso', 'pesos'), minor: CENTAVO },
  CAD: { major: noun('dólar canadiense', 'dólares canadienses'), minor: CENTAVO },
  AUD: { major: noun('dólar australiano', 'dólares australianos'), minor: CENTAVO },
};

const UNITS: UnitNames = {
  km: ['kilómetro', 'kilómetros'],
  m: ['metro', 'metros'],
  cm: ['centímetro', 'centímetros'],
  mm: ['milímetro', 'milímetros'],
  'm²': ['metro cuadrado', 'metros cuadrados'],
  'km²': ['kilómetro cuadrado', 'kilómetros cuadrados'],
  'm³': ['metro cúbico', 'metros cúbicos'],
  kg: ['kilo', 'kilos'],
  g: ['gramo', 'gramos'],
  mg: ['miligramo', 'miligramos'],
  t: ['tonelada', 'toneladas'],
  l: ['litro', 'litros'],
  ml: ['mililitro', 'mililitros'],
  'km/h': ['kilómetro por hora', 'kilómetros por hora'],
  'm/s': ['metro por segundo', 'metros por segundo'],
  h: ['hora', 'horas'],
  min: ['minuto', 'minutos'],
  s: ['segundo', 'segundos'],
  '°': ['grado', 'grados'],
  '°C': ['grado Celsius', 'grados Celsius'],
  '°F': ['grado Fahrenheit', 'grados Fahrenheit'],
  Hz: ['hercio', 'hercios'],
  kHz: ['kilohercio', 'kilohercios'],
  MHz: ['megahercio', 'megahercios'],
  GHz: ['gigahercio', 'gigahercios'],
  W: ['vatio', 'vatios'],
  kW: ['kilovatio', 'kilovatios'],
  kWh: ['kilovatio hora', 'kilovatios hora'],
  V: ['voltio', 'voltios'],
  kB: ['kilobyte', 'kilobytes'],
  MB: ['megabyte', 'megabytes'],
  GB: ['gigabyte', 'gigabytes'],
  TB: ['terabyte', 'terabytes'],
};

/** Words after a number that are not counted by it: "el 21 de mayo", "21 y 22". */
const NOT_COUNTED = /^(?:de|del|y|e|o|u|a|al|en|por|que|con|sin|para|es|son|no|se|más|menos)?$/;
const FEMININE =
  /(?:as?|ción|ciones|sión|siones|dad|dades|tud|tudes|umbres?)$|^(?:manos?|mujer(?:es)?|noches?|tardes?|clases?|calles?|vez|veces|partes?|gente|flor(?:es)?|ley(?:es)?|llaves?|nubes?|fases?|frases?|bases?|series?|fotos?|motos?|imagen|imágenes|razón|razones|región|regiones|opinión|opiniones)$/;
const MASCULINE_IN_A =
  /^(?:días?|mapas?|planetas?|poetas?|tranvías?|sofás?|papás?|.*(?:[bt]lemas?|stemas?|gramas?|iomas?|olemas?)|temas?|lemas?|dramas?|climas?|poemas?|colegas?|guardias?)$/;

function genderOf(word: string): Form {
  const lower = word.toLowerCase();
  if (NOT_COUNTED.test(lower)) return 'alone';
  return FEMININE.test(lower) && !MASCULINE_IN_A.test(lower) ? 'feminine' : 'masculine';
}

function belowHundred(value: number, form: Form): string[] {
  const unit = value % 10;
  if (value >= 10 && value < 20) return [TEENS[value - 10]!];
  if (unit === 1) {
    const one = form === 'alone' ? 'uno' : form === 'masculine' ? 'un' : 'una';
    if (value === 1) return [one];
    if (value === 21) return [form === 'masculine' ? 'veintiún' : `veinti${one}`];
    return [TENS[(value - 1) / 10]!, 'y', one];
  }
  if (value < 10) return [DIGITS[value]!];
  if (value < 30) return [TWENTIES[value - 20]!];
  const tens = TENS[Math.floor(value / 10)]!;
  return unit === 0 ? [tens] : [tens, 'y', DIGITS[unit]!];
}

function belowThousand(value: number, form: Form): string[] {
  if (value === 100) return ['cien'];
  const rest = value % 100;
  const hundreds = HUNDREDS[Math.floor(value / 100)]!;
  const agreed = form === 'feminine' ? hundreds.replace(/os$/, 'as') : hundreds;
  return [...(value > 100 ? [agreed] : []), ...(rest > 0 ? belowHundred(rest, form) : [])];
}

/** Below a million; "mil" takes no "un", and "uno" is always shortened before it. */
function belowMillion(value: number, form: Form): string[] {
  const thousands = Math.floor(value / 1000);
  const beforeMil = form === 'feminine' && thousands % 10 !== 1 ? 'feminine' : 'masculine';
  return [
    ...(thousands > 1 ? belowThousand(thousands, beforeMil) : []),
    ...(thousands > 0 ? ['mil'] : []),
    ...belowThousand(value % 1000, form),
  ];
}

function say(digits: string, form: Form): string[] {
  if (!isQuantity(digits, MAX_DIGITS)) return spellDigits(digits, DIGITS);
  if (digits === '0') return ['cero'];
  const groups = splitIntoGroups(digits, 6);
  return groups.flatMap((value, index) => {
    const scale = SCALES[groups.length - 1 - index]!;
    if (value === 0) return [];
    if (scale[0] === '') return belowMillion(value, form);
    return [...belowMillion(value, 'masculine'), value === 1 ? scale[0] : scale[1]];
  });
}

/** Round millions have a "de" before the noun: "dos millones de euros". */
function verbalizeBefore(digits: string, gender: GrammaticalGender): string[] {
  const words = say(digits, gender);
  return /ill(?:ón|ones)$/.test(words.at(-1) ?? '') ? [...words, 'de'] : words;
}

function count(digits: string, counted: CountedNoun): string[] {
  return [
    ...verbalizeBefore(digits, counted.gender),
    ...splitWords(digits === '1' ? counted.one : counted.many),
  ];
}

function decimal(integer: string, fraction: string): string[] {
  return [
    ...say(integer, 'alone'),
    'coma',
    ...verbalizeFraction(fraction, (digits) => say(digits, 'alone'), DIGITS),
  ];
}

function ordinal(digits: string, mark: string): string[] | undefined {
  const value = Number(digits);
  if (digits.startsWith('0') || value > 1000) return undefined;
  const words = value === 1000 ? ['milésimo'] : ordinalBelowThousand(value);
  if (/a$|ª/.test(mark)) return words.map((word) => word.replace(/o$/, 'a'));
  if (!mark.endsWith('er')) return words;
  return words.map((word, index) =>
    index === words.length - 1 ? word.replace(/(primer|tercer)o$/, '$1') : word,
  );
}

function ordinalBelowThousand(value: number): string[] {
  const rest = value % 100;
  const words = value >= 100 ? [ORDINAL_HUNDREDS[Math.floor(value / 100)]!] : [];
  if (rest >= 10 && rest < 20) return [...words, ORDINAL_TEENS[rest - 10]!];
  if (rest >= 20) words.push(ORDINAL_TENS[Math.floor(rest / 10)]!);
  if (rest % 10 > 0) words.push(ORDINAL_UNITS[rest % 10]!);
  return words;
}

/** Spanish, with the decimal comma and the long scale. */
export const spanishNumbers: NumberVerbalizer = {
  decimalSeparator: ',',
  groupSeparators: ['.', ' ', '\u00a0', '\u202f'],
  ordinalMarks: ['.er', 'era', 'ero', '.º', '.ª', 'er', 'º', 'ª', 'a', 'o'],
  minus: ['menos'],
  dateOrder: 'dmy',
  cardinal: (digits) => say(digits, 'alone'),
  counting: (digits, nounAfter) => {
    const form = genderOf(nounAfter);
    return form === 'alone' ? say(digits, form) : verbalizeBefore(digits, form);
  },
  ordinal,
  decimal,
  digits: (digits) => spellDigits(digits, DIGITS),
  percent: (words) => [...words, 'por', 'ciento'],
  currency: (code, integer, fraction) =>
    verbalizeMoney({ names: CURRENCY_NAMES, joiner: ['con'], count, decimal }, code, integer, fraction),
  currencyName: (code) => splitWords(CURRENCY_NAMES[code].major.many),
  year: (digits) => say(digits, 'alone'),
  date: ({ day, month, year }) => [
    ...(day === undefined ? [] : [...say(String(day), 'alone'), 'de']),
    MONTHS[month - 1] ?? '',
    ...(year === undefined ? [] : ['de', ...say(year, 'alone')]),
  ],
  time: (hour, minute) => {
    const hours = say(String(hour), 'feminine');
    if (minute === 0) return hours;
    if (hour <= 12 && minute === 30) return [...hours, 'y', 'media'];
    if (hour <= 12 && minute === 15) return [...hours, 'y', 'cuarto'];
    return [...hours, 'y', ...say(String(minute), 'alone')];
  },
  unit: (symbol, isPlural) => verbalizeUnit(UNITS, symbol, isPlural),
};
