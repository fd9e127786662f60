import { isQuantity, splitIntoGroups, splitWords } from './digit-groups.ts';
import type { Currency, NumberVerbalizer } from './number-verbalizer.ts';
import { type UnitNames, verbalizeUnit } from './unit-names.ts';

const KANJI_DIGITS = [...'〇一二三四五六七八九'];
/** In katakana: consecutive kanji digits would be pronounced as one number. */
const DIGITS = splitWords('ゼロ イチ ニ サン ヨン ゴ ロク ナナ ハチ キュー');
const SMALL_SCALES = ['', '十', '百', '千'];
/** Each is ten thousand times the previous one. */
const SCALES = ['', '万', '億', '兆', '京', '垓'];
const MAX_DIGITS = 24;

const CURRENCY_NAMES: Readonly<Record<Currency, { readonly major: string; readonly minor?: string }>> = {
  USD: { major: 'ドル', minor: 'セント' },
  EUR: { major: 'ユーロ', minor: 'セント' },
  GBP: { major: 'ポンド', minor: 'ペンス' },
  JPY: { major: '円' },
  CNY: { major: '元' },
  INR: { major: 'ルピー' },
  BRL: { major: 'レアル' },
  KRW: { major: 'ウォン' },
  CHF: { major: 'スイスフラン' },
  MXN: { major: 'ペソ' },
  CAD: { major: 'カナダドル', minor: 'セント' },
  AUD: { major: 'オーストラリアドル', minor: 'セント' },
};

const UNITS: UnitNames = Object.fromEntries(
  Object.entries({
    km: 'キロメートル',
    m: 'メートル',
    cm: 'センチメートル',
    mm: 'ミリメートル',
    'm²': '平方メートル',
    'km²': '平方キロメートル',
    'm³': '立方メートル',
    kg: 'キログラム',
    g: 'グラム',
    mg: 'ミリグラム',
    t: 'トン',
    l: 'リットル',
    ml: 'ミリリットル',
    'km/h': 'キロメートル毎時',
    'm/s': 'メートル毎秒',
    h: '時間',
    min: '分',
    s: '秒',
    '°': '度',
    '°C': '度',
    '°F': '度',
    Hz: 'ヘルツ',
    kHz: 'キロヘルツ',
    MHz: 'メガヘルツ',
    GHz: 'ギガヘルツ',
    W: 'ワット',
    kW: 'キロワット',
    kWh: 'キロワット時',
    V: 'ボルト',
    kB: 'キロバイト',
    MB: 'メガバイト',
    GB: 'ギガバイト',
    TB: 'テラバイト',
  }).map(([symbol, name]) => [symbol, [name, name] as const]),
);

function belowTenThousand(value: number, isBeforeScale: boolean): string {
  return [...String(value)]
    .map((digit, index, all) => {
      const scale = all.length - 1 - index;
      if (digit === '0') return '';
      // 一 is omitted before 十, 百 and 千, except before 千 of a scale (万 and above).
      const isImplied = digit === '1' && scale > 0 && !(scale === 3 && isBeforeScale);
      return (isImplied ? '' : KANJI_DIGITS[Number(digit)]!) + SMALL_SCALES[scale]!;
    })
    .join('');
}

function kanji(digits: string): string {
  if (!isQuantity(digits, MAX_DIGITS)) return spell(digits);
  if (digits === '0') return DIGITS[0]!;
  const groups = splitIntoGroups(digits, 4);
  return groups
    .map((value, index) => {
      const scale = groups.length - 1 - index;
      return value === 0 ? '' : belowTenThousand(value, scale > 0) + SCALES[scale]!;
    })
    .join('');
}

function spell(digits: string): string {
  return [...digits].map((digit) => DIGITS[Number(digit)] ?? '').join('');
}

function cardinal(digits: string): string[] {
  return isQuantity(digits, MAX_DIGITS) ? [kanji(digits)] : [...digits].map(spell);
}

function decimal(integer: string, fraction: string): string {
  return `${kanji(integer)}点${spell(fraction)}`;
}

function currency(code: Currency, integer: string, fraction = ''): string {
  const { major, minor } = CURRENCY_NAMES[code];
  const significant = fraction.replace(/0+$/, '');
  if (significant === '') return kanji(integer) + major;
  if (minor === undefined || significant.length > 2) return decimal(integer, fraction) + major;
  const small = kanji(String(Number(significant.padEnd(2, '0')))) + minor;
  return /^0+$/.test(integer) ? small : kanji(integer) + major + small;
}

/**
 * Japanese. Quantities are kanji, so that the phonemizer can apply the reading that the counter requires (三本
 * さんぼん, 二十日 はつか); digit sequences are kana.
 */
export const japaneseNumbers: NumberVerbalizer = {
  decimalSeparator: '.',
  groupSeparators: [',', '，'],
  ordinalMarks: [],
  minus: ['マイナス'],
  dateOrder: 'ymd',
  cardinal,
  counting: cardinal,
  ordinal: () => undefined,
  decimal: (integer, fraction) => [decimal(integer, fraction)],
  digits: (digits) => [...digits].map(spell),
  percent: (words) => [...words, 'パーセント'],
  currency: (code, integer, fraction) => [currency(code, integer, fraction)],
  currencyName: (code) => [CURRENCY_NAMES[code].major],
  year: cardinal,
  date: ({ day, month, year }) => [
    ...(year === undefined ? [] : [`${kanji(year)}年`]),
    `${kanji(String(month))}月`,
    ...(day === undefined ? [] : [`${kanji(String(day))}日`]),
  ],
  time: (hour, minute) => [
    hour === 0 ? '零時' : `${kanji(String(hour))}時`,
    ...(minute === 0 ? [] : [`${kanji(String(minute))}分`]),
  ],
  unit: (symbol, isPlural) => verbalizeUnit(UNITS, symbol, isPlural),
};
