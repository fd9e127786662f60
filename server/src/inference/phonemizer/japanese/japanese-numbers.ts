import { japaneseNumbers } from '../../../text/normalise/numbers/ja.ts';

/** Kanji numerals. 何 ("how many") has the position and sound changes of a digit. */
export const NUMERALS = /^[〇零一二三四五六七八九十百千万億兆京何]+$/u;

const DIGIT_READINGS: Readonly<Record<string, string>> = {
  一: 'イチ',
  二: 'ニ',
  三: 'サン',
  四: 'ヨン',
  五: 'ゴ',
  六: 'ロク',
  七: 'ナナ',
  八: 'ハチ',
  九: 'キュー',
  何: 'ナン',
};
const SCALE_READINGS: Readonly<Record<string, string>> = {
  十: 'ジュー',
  百: 'ヒャク',
  千: 'セン',
  万: 'マン',
  億: 'オク',
  兆: 'チョー',
  京: 'ケイ',
};
const KANJI_DIGITS = '〇一二三四五六七八九';

/** Irregular readings of a counter: by number, by last digit, or by the counter's own reading. */
interface Counter {
  readonly whole?: Readonly<Record<string, string>>;
  readonly digits?: Readonly<Record<string, string>>;
  /** Reading of the counter after ン (三, 千, 万, 何). */
  readonly afterN?: string;
  /** Reading of the counter after 四, where different. */
  readonly afterFour?: string;
}

const CLOCK_DIGITS = { 四: 'ヨ', 七: 'シチ', 九: 'ク' };
const DAYS = {
  二: 'フツカ',
  三: 'ミッカ',
  四: 'ヨッカ',
  五: 'イツカ',
  六: 'ムイカ',
  七: 'ナノカ',
  八: 'ヨーカ',
  九: 'ココノカ',
  十: 'トーカ',
  十四: 'ジューヨッカ',
  二十: 'ハツカ',
  二十四: 'ニジューヨッカ',
};
const COUNTERS: Readonly<Record<string, Counter>> = {
  つ: {
    whole: {
      一: 'ヒトツ',
      二: 'フタツ',
      三: 'ミッツ',
      四: 'ヨッツ',
      五: 'イツツ',
      六: 'ムッツ',
      七: 'ナナツ',
      八: 'ヤッツ',
      九: 'ココノツ',
    },
  },
  人: { whole: { 一: 'ヒトリ', 二: 'フタリ' }, digits: { 四: 'ヨ' } },
  日: { whole: DAYS },
  // A pseudo-counter for the day of the month.
  月日: { whole: { ...DAYS, 一: 'ツイタチ' } },
  日間: { whole: Object.fromEntries(Object.entries(DAYS).map(([number, day]) => [number, `${day}カン`])) },
  月: { digits: { 四: 'シ', 七: 'シチ', 九: 'ク' } },
  時: { digits: CLOCK_DIGITS },
  時間: { digits: CLOCK_DIGITS },
  年: { digits: { 四: 'ヨ' } },
  年間: { digits: { 四: 'ヨ' } },
  円: { digits: { 四: 'ヨ' } },
  歳: { whole: { 二十: 'ハタチ' } },
  才: { whole: { 二十: 'ハタチ' } },
  本: { afterN: 'ボン' },
  匹: { afterN: 'ビキ' },
  杯: { afterN: 'バイ' },
  分: { afterN: 'プン', afterFour: 'プン' },
  分間: { afterN: 'プンカン', afterFour: 'プンカン' },
  泊: { afterN: 'パク', afterFour: 'パク' },
  階: { afterN: 'ガイ' },
  軒: { afterN: 'ゲン' },
  足: { afterN: 'ゾク' },
  百: { afterN: 'ビャク' },
  千: { afterN: 'ゼン' },
};

/** The reading of a number in katakana, with a space after each hundred, thousand and so on. */
export function readKanjiNumber(kanji: string): string {
  if (!/^[〇零一二三四五六七八九]+$/u.test(kanji)) return readParts([...withImpliedOne(kanji)]);
  // Positional digits: 二〇一九 is 二千十九.
  const digits = Array.from(kanji, (part) => KANJI_DIGITS.indexOf(part === '零' ? '〇' : part)).join('');
  const words = japaneseNumbers.cardinal(digits).join('');
  return NUMERALS.test(words) ? readParts([...words]) : words;
}

/** 千万 is read いっせんまん. */
function withImpliedOne(kanji: string): string {
  return kanji.replace(/(?<![一二三四五六七八九何])千(?=[万億兆京])/gu, '一千');
}

function readParts(parts: readonly string[]): string {
  let reading = '';
  parts.forEach((part, index) => {
    const scale = SCALE_READINGS[part];
    if (scale === undefined) reading += DIGIT_READINGS[part] ?? '';
    else
      reading =
        joinCounter(reading, parts[index - 1] ?? '', part, scale) + pauseAfter(part, parts[index + 1]);
  });
  return reading;
}

function pauseAfter(scale: string, next: string | undefined): string {
  return scale === '十' || next === undefined || next in SCALE_READINGS ? '' : ' ';
}

/** The reading of a number with a counter, including sound changes: 三本 is サンボン, 一人 ヒトリ. */
export function readCounted(kanji: string, counter: string, counterReading: string): string {
  const rules = COUNTERS[counter];
  const whole = rules?.whole?.[kanji];
  if (whole !== undefined) return whole;
  const last = kanji.at(-1)!;
  const shortened = rules?.digits?.[last];
  const number = readKanjiNumber(kanji);
  if (shortened !== undefined) {
    return number.slice(0, number.length - DIGIT_READINGS[last]!.length) + shortened + counterReading;
  }
  return joinCounter(number, last, counter, counterReading);
}

function joinCounter(number: string, last: string, counter: string, reading: string): string {
  const rules = COUNTERS[counter];
  if (rules?.afterFour !== undefined && last === '四') return number + rules.afterFour;
  if (rules?.afterN !== undefined && number.endsWith('ン') && last !== '四') return number + rules.afterN;
  // There are no sound changes with loanwords.
  const isNative = !/^[ァ-ヶ]/.test(counter);
  const shortened = isNative ? geminated(number, last, reading) : undefined;
  return shortened === undefined ? number + reading : shortened + hardened(reading);
}

/** Gemination: the last mora of 一, 六, 八, 十 and 百 becomes ッ before some counters. */
function geminated(number: string, last: string, counterReading: string): string | undefined {
  const isKOrH = /^[カキクケコハヒフヘホ]/.test(counterReading);
  const isHard = isKOrH || /^[サシスセソタチツテト]/.test(counterReading);
  const changes = '一八十'.includes(last) ? isHard : '六百'.includes(last) && isKOrH;
  return changes && number !== '' ? number.replace(/.$/u, 'ッ') : undefined;
}

function hardened(reading: string): string {
  const index = 'ハヒフヘホ'.indexOf(reading[0]!);
  return index < 0 ? reading : 'パピプペポ'[index]! + reading.slice(1);
}
