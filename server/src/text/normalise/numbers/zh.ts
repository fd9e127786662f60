import { isQuantity } from './digit-groups.ts';
import type { Currency, NumberVerbalizer } from './number-verbalizer.ts';
import { type UnitNames, verbalizeUnit } from './unit-names.ts';

const DIGITS = [...'零一二三四五六七八九'];
const SMALL_SCALES = ['', '十', '百', '千'];
/** Below 10^16, in 万 and 亿: the value of 兆 differs by region. */
const MAX_DIGITS = 16;

const CURRENCY_NAMES: Readonly<Record<Currency, string>> = {
  USD: '美元',
  EUR: '欧元',
  GBP: '英镑',
  JPY: '日元',
  CNY: '元',
  INR: '卢比',
  BRL: '雷亚尔',
  KRW: '韩元',
  CHF: '瑞士法郎',
  MXN: '比索',
  CAD: '加元',
  AUD: '澳元',
};

const UNITS: UnitNames = Object.fromEntries(
  Object.entries({
    km: '公里',
    m: '米',
    cm: '厘米',
    mm: '毫米',
    'm²': '平方米',
    'km²': '平方公里',
    'm³': '立方米',
    kg: '公斤',
    g: '克',
    mg: '毫克',
    t: '吨',
    l: '升',
    ml: '毫升',
    'km/h': '公里每小时',
    'm/s': '米每秒',
    h: '小时',
    min: '分钟',
    s: '秒',
    '°': '度',
    '°C': '摄氏度',
    '°F': '华氏度',
    Hz: '赫兹',
    kHz: '千赫',
    MHz: '兆赫',
    GHz: '吉赫',
    W: '瓦',
    kW: '千瓦',
    kWh: '千瓦时',
    V: '伏',
    kB: '千字节',
    MB: '兆',
    GB: '吉字节',
    TB: '太字节',
  }).map(([symbol, name]) => [symbol, [name, name] as const]),
);

/** Before these, two is an identifier (二月, 二楼) and not a quantity (两个). */
const NAMED_BY_NUMBER =
  /^(?:月|日|号|號|楼|樓|路|级|級|等|班|期|章|节|節|中|世|线|線|区|區|分之|比|加|减|乘|除|和)/;

/** `isLeading`: the first group of the number: 2 before 千 is 两, and 十 has no 一. */
function belowTenThousand(value: number, isLeading: boolean): string {
  const digits = String(value);
  let words = '';
  let isZeroPending = false;
  [...digits].forEach((digit, index) => {
    const scale = digits.length - 1 - index;
    if (digit === '0') {
      isZeroPending = true;
      return;
    }
    if (isZeroPending) words += '零';
    isZeroPending = false;
    const opens = isLeading && index === 0;
    if (digit === '1' && scale === 1 && opens) words += '十';
    else if (digit === '2' && scale === 3 && opens) words += '两千';
    else words += DIGITS[Number(digit)]! + SMALL_SCALES[scale]!;
  });
  return words;
}

function belowHundredMillion(value: number, isLeading: boolean): string {
  const high = Math.floor(value / 10_000);
  const low = value % 10_000;
  if (high === 0) return belowTenThousand(low, isLeading);
  return `${amount(high, isLeading)}万${gap(low, 1000)}${low === 0 ? '' : belowTenThousand(low, false)}`;
}

function amount(value: number, isLeading: boolean): string {
  return isLeading && value === 2 ? '两' : belowHundredMillion(value, isLeading);
}

/** A gap between two groups gives one 零, regardless of its width: 一万零一, 十万零一十二. */
function gap(low: number, full: number): string {
  return low > 0 && low < full ? '零' : '';
}

function hanzi(digits: string): string {
  if (!isQuantity(digits, MAX_DIGITS)) return spell(digits);
  if (digits === '0') return '零';
  const high = Number(digits.slice(0, -8));
  const low = Number(digits.slice(-8));
  if (high === 0) return belowHundredMillion(low, true);
  return `${amount(high, true)}亿${gap(low, 10_000_000)}${low === 0 ? '' : belowHundredMillion(low, false)}`;
}

function spell(digits: string): string {
  return [...digits].map((digit) => DIGITS[Number(digit)] ?? '').join('');
}

function decimal(integer: string, fraction: string): string {
  return `${hanzi(integer)}点${spell(fraction)}`;
}

function amountBefore(digits: string, noun: string): string {
  if (noun.startsWith('年') && digits.length === 4) return spell(digits);
  return digits === '2' && noun !== '' && !NAMED_BY_NUMBER.test(noun) ? '两' : hanzi(digits);
}

function counting(digits: string, noun: string): string[] {
  return isQuantity(digits, MAX_DIGITS) ? [amountBefore(digits, noun)] : [...digits].map(spell);
}

function currency(code: Currency, integer: string, fraction = ''): string {
  const name = CURRENCY_NAMES[code];
  const significant = fraction.replace(/0+$/, '');
  if (significant === '') return amountBefore(integer, '块') + name;
  if (code !== 'CNY' || significant.length > 2) return decimal(integer, fraction) + name;
  const [tenths, hundredths] = [...significant.padEnd(2, '0')].map(Number);
  const jiao =
    tenths === 0 ? (/^0+$/.test(integer) ? '' : '零') : `${tenths === 2 ? '两' : DIGITS[tenths!]}角`;
  const small = jiao + (hundredths === 0 ? '' : `${DIGITS[hundredths!]}分`);
  return /^0+$/.test(integer) ? small : amountBefore(integer, '块') + name + small;
}

/** Mandarin Chinese, in simplified characters. */
export const chineseNumbers: NumberVerbalizer = {
  decimalSeparator: '.',
  groupSeparators: [',', '，'],
  ordinalMarks: [],
  minus: ['负'],
  dateOrder: 'ymd',
  cardinal: (digits) => counting(digits, ''),
  counting,
  ordinal: () => undefined,
  decimal: (integer, fraction) => [decimal(integer, fraction)],
  digits: (digits) => [...digits].map(spell),
  percent: (words) => ['百分之', ...words],
  currency: (code, integer, fraction) => [currency(code, integer, fraction)],
  currencyName: (code) => [CURRENCY_NAMES[code]],
  year: (digits) => [spell(digits)],
  date: ({ day, month, year }) => [
    ...(year === undefined ? [] : [`${spell(year)}年`]),
    `${hanzi(String(month))}月`,
    ...(day === undefined ? [] : [`${hanzi(String(day))}日`]),
  ],
  time: (hour, minute) => [
    `${hour === 2 ? '两' : hanzi(String(hour))}点`,
    ...(minute === 0 ? [] : [`${minute < 10 ? '零' : ''}${hanzi(String(minute))}分`]),
  ],
  unit: (symbol, isPlural) => verbalizeUnit(UNITS, symbol, isPlural),
};
