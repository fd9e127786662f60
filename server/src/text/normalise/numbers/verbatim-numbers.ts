import type { NumberVerbalizer } from './number-verbalizer.ts';

/** For undetermined languages: numbers stay in digits, and the phonemizer of the voice verbalizes them. */
export const verbatimNumbers: NumberVerbalizer = {
  decimalSeparator: ',',
  groupSeparators: ['.', ' ', '\u00a0', '\u202f', '’'],
  ordinalMarks: [],
  minus: [],
  dateOrder: 'dmy',
  cardinal: (digits) => [digits],
  counting: (digits) => [digits],
  ordinal: () => undefined,
  decimal: (integer, fraction) => [`${integer},${fraction}`],
  digits: (digits) => [...digits],
  percent: (words) => words,
  currency: (_code, integer, fraction) => [fraction === undefined ? integer : `${integer},${fraction}`],
  currencyName: () => [],
  year: (digits) => [digits],
  date: ({ day, month, year }) => [day, month, year].filter((part) => part !== undefined).map(String),
  time: (hour, minute) => [String(hour), String(minute)],
  unit: () => undefined,
};
