import { isQuantity, spellDigits, splitWords } from './digit-groups.ts';
import { type CountedNoun, type CurrencyNames, noun, verbalizeMoney } from './money.ts';
import type { Currency, NumberVerbalizer } from './number-verbalizer.ts';
import { type UnitNames, verbalizeUnit } from './unit-names.ts';

/** Every number below a hundred has its own word. */
const BELOW_HUNDRED = splitWords(
  [
    'शून्य एक दो तीन चार पाँच छह सात आठ नौ',
    'दस ग्यारह बारह तेरह चौदह पंद्रह सोलह सत्रह अठारह उन्नीस',
    'बीस इक्कीस बाईस तेईस चौबीस पच्चीस छब्बीस सत्ताईस अट्ठाईस उनतीस',
    'तीस इकतीस बत्तीस तैंतीस चौंतीस पैंतीस छत्तीस सैंतीस अड़तीस उनतालीस',
    'चालीस इकतालीस बयालीस तैंतालीस चवालीस पैंतालीस छियालीस सैंतालीस अड़तालीस उनचास',
    'पचास इक्यावन बावन तिरपन चौवन पचपन छप्पन सत्तावन अट्ठावन उनसठ',
    'साठ इकसठ बासठ तिरसठ चौंसठ पैंसठ छियासठ सड़सठ अड़सठ उनहत्तर',
    'सत्तर इकहत्तर बहत्तर तिहत्तर चौहत्तर पचहत्तर छिहत्तर सतहत्तर अठहत्तर उन्यासी',
    'अस्सी इक्यासी बयासी तिरासी चौरासी पचासी छियासी सत्तासी अट्ठासी नवासी',
    'नब्बे इक्यानवे बानवे तिरानवे चौरानवे पचानवे छियानवे सत्तानवे अट्ठानवे निन्यानवे',
  ].join(' '),
);
const DIGITS = BELOW_HUNDRED.slice(0, 10);
/** Names above the hundreds, in steps of a hundred: thousand, lakh, crore, … */
const SCALES = splitWords('हज़ार लाख करोड़ अरब खरब नील पद्म शंख');
const MAX_DIGITS = 3 + 2 * SCALES.length;

const IRREGULAR_ORDINALS: Readonly<Record<string, string>> = {
  '1': 'पहला',
  '2': 'दूसरा',
  '3': 'तीसरा',
  '4': 'चौथा',
  '6': 'छठा',
};

const MONTHS = splitWords('जनवरी फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर');

const CENT = noun('सेंट', 'सेंट');
const CURRENCY_NAMES: Readonly<Record<Currency, CurrencyNames>> = {
  USD: { major: noun('डॉलर', 'डॉलर'), minor: CENT },
  EUR: { major: noun('यूरो', 'यूरो'), minor: CENT },
  GBP: { major: noun('पाउंड', 'पाउंड'), minor: noun('पेनी', 'पेंस') },
  JPY: { major: noun('येन', 'येन') },
  CNY: { major: noun('युआन', 'युआन') },
  INR: { major: noun('रुपया', 'रुपये'), minor: noun('पैसा', 'पैसे') },
  BRL: { major: noun('रियल', 'रियल') },
  KRW: { major: noun('वॉन', 'वॉन') },
  CHF: { major: noun('स्विस फ़्रैंक', 'स्विस फ़्रैंक') },
  MXN: { major: noun('पेसो', 'पेसो') },
  CAD: { major: noun('कनाडाई डॉलर', 'कनाडाई डॉलर'), minor: CENT },
  AUD: { major: noun('ऑस्ट्रेलियाई डॉलर', 'ऑस्ट्रेलियाई डॉलर'), minor: CENT },
};

const UNITS: UnitNames = {
  km: ['किलोमीटर', 'किलोमीटर'],
  m: ['मीटर', 'मीटर'],
  cm: ['सेंटीमीटर', 'सेंटीमीटर'],
  mm: ['मिलीमीटर', 'मिलीमीटर'],
  'm²': ['वर्ग मीटर', 'वर्ग मीटर'],
  'km²': ['वर्ग किलोमीटर', 'वर्ग किलोमीटर'],
  'm³': ['घन मीटर', 'घन मीटर'],
  kg: ['किलो', 'किलो'],
  g: ['ग्राम', 'ग्राम'],
  mg: ['मिलीग्राम', 'मिलीग्राम'],
  t: ['टन', 'टन'],
  l: ['लीटर', 'लीटर'],
  ml: ['मिलीलीटर', 'मिलीलीटर'],
  'km/h': ['किलोमीटर प्रति घंटा', 'किलोमीटर प्रति घंटा'],
  'm/s': ['मीटर प्रति सेकंड', 'मीटर प्रति सेकंड'],
  h: ['घंटा', 'घंटे'],
  min: ['मिनट', 'मिनट'],
  s: ['सेकंड', 'सेकंड'],
  '°': ['डिग्री', 'डिग्री'],
  '°C': ['डिग्री सेल्सियस', 'डिग्री सेल्सियस'],
  '°F': ['डिग्री फ़ारेनहाइट', 'डिग्री फ़ारेनहाइट'],
  Hz: ['हर्ट्ज़', 'हर्ट्ज़'],
  kHz: ['किलोहर्ट्ज़', 'किलोहर्ट्ज़'],
  MHz: ['मेगाहर्ट्ज़', 'मेगाहर्ट्ज़'],
  GHz: ['गीगाहर्ट्ज़', 'गीगाहर्ट्ज़'],
  W: ['वाट', 'वाट'],
  kW: ['किलोवाट', 'किलोवाट'],
  V: ['वोल्ट', 'वोल्ट'],
  kB: ['किलोबाइट', 'किलोबाइट'],
  MB: ['मेगाबाइट', 'मेगाबाइट'],
  GB: ['गीगाबाइट', 'गीगाबाइट'],
  TB: ['टेराबाइट', 'टेराबाइट'],
};

/** Numbers below ten thousand, in hundreds. */
function belowHundredHundreds(value: number): string[] {
  const hundreds = Math.floor(value / 100);
  const rest = value % 100;
  return [
    ...(hundreds > 0 ? [BELOW_HUNDRED[hundreds]!, 'सौ'] : []),
    ...(rest > 0 ? [BELOW_HUNDRED[rest]!] : []),
  ];
}

function say(digits: string): string[] {
  if (!isQuantity(digits, MAX_DIGITS)) return spellDigits(digits, DIGITS);
  if (digits === '0') return [DIGITS[0]!];
  const words = belowHundredHundreds(Number(digits.slice(-3)));
  for (let end = digits.length - 3, scale = 0; end > 0; end -= 2, scale++) {
    const value = Number(digits.slice(Math.max(0, end - 2), end));
    if (value > 0) words.unshift(BELOW_HUNDRED[value]!, SCALES[scale]!);
  }
  return words;
}

/** Years of the second millennium are verbalized in hundreds: "nineteen hundred forty-seven". */
function verbalizeYear(digits: string): string[] {
  return /^1[1-9]\d\d$/.test(digits) ? belowHundredHundreds(Number(digits)) : say(digits);
}

function count(digits: string, counted: CountedNoun): string[] {
  return [...say(digits), ...splitWords(digits === '1' ? counted.one : counted.many)];
}

function decimal(integer: string, fraction: string): string[] {
  return [...say(integer), 'दशमलव', ...spellDigits(fraction, DIGITS)];
}

/** The mark carries gender and case: वाँ and ला are masculine, वीं and ली feminine, वें and ले oblique. */
function ordinal(digits: string, mark: string): string[] | undefined {
  if (!isQuantity(digits, MAX_DIGITS) || digits === '0') return undefined;
  const vowel = /ी/.test(mark) ? 'ी' : /े/.test(mark) ? 'े' : 'ा';
  const irregular = IRREGULAR_ORDINALS[digits];
  if (irregular !== undefined) return [irregular.replace(/ा$/, vowel)];
  const words = say(digits);
  return [...words.slice(0, -1), `${words.at(-1)}व${vowel}${vowel === 'ा' ? 'ँ' : 'ं'}`];
}

/** Hindi, in Devanagari, with lakh and crore. */
export const hindiNumbers: NumberVerbalizer = {
  decimalSeparator: '.',
  groupSeparators: [','],
  ordinalMarks: ['वाँ', 'वां', 'वीं', 'वें', 'ला', 'ली', 'ले', 'रा', 'री', 'रे', 'था', 'थी', 'थे', 'ठा', 'ठी', 'ठे'],
  minus: ['माइनस'],
  dateOrder: 'dmy',
  cardinal: say,
  counting: say,
  ordinal,
  decimal,
  digits: (digits) => spellDigits(digits, DIGITS),
  percent: (words) => [...words, 'प्रतिशत'],
  currency: (code, integer, fraction) =>
    verbalizeMoney({ names: CURRENCY_NAMES, joiner: [], count, decimal }, code, integer, fraction),
  currencyName: (code) => splitWords(CURRENCY_NAMES[code].major.many),
  year: verbalizeYear,
  date: ({ day, month, year }) => [
    ...(day === undefined ? [] : say(String(day))),
    MONTHS[month - 1] ?? '',
    ...(year === undefined ? [] : verbalizeYear(year)),
  ],
  time: (hour, minute) =>
    minute === 0
      ? [...say(String(hour)), 'बजे']
      : [...say(String(hour)), 'बजकर', ...say(String(minute)), 'मिनट'],
  unit: (symbol, isPlural) => verbalizeUnit(UNITS, symbol, isPlural),
};
