import type { FixedWord } from '../normalise/fixed-spans.ts';
import type { NumberVerbalizer } from '../normalise/numbers/number-verbalizer.ts';

/** The language resources of `say-as`. */
export interface SayAsResources {
  readonly numbers: NumberVerbalizer;
  /** The normal verbalization of a text. */
  readonly verbalize: (text: string) => readonly FixedWord[];
}

type Interpreter = (written: string, format: string, resources: SayAsResources) => readonly FixedWord[];

const verbalizeNormally: Interpreter = (written, _format, { verbalize }) => verbalize(written);

/** Interpretations of `say-as`. Text that does not match its interpretation is verbalized normally. */
const INTERPRETERS: Readonly<Record<string, Interpreter>> = {
  characters: spellOut,
  'spell-out': spellOut,
  verbatim: spellOut,
  cardinal: verbalizeCardinal,
  number: verbalizeCardinal,
  ordinal: verbalizeOrdinal,
  digits: verbalizeDigits,
  digit: verbalizeDigits,
  date: verbalizeDate,
  time: verbalizeNormally,
  telephone: verbalizeTelephone,
  phone: verbalizeTelephone,
  currency: verbalizeNormally,
  fraction: (written, format, resources) =>
    verbalizeNormally(written.replace(/(\d)\s*\+\s*(?=\d)/, '$1 '), format, resources),
  unit: verbalizeNormally,
  // Omitted; the caller inserts silence.
  expletive: () => [],
  bleep: () => [],
};

/** Whether `interpret-as` has a supported value. */
export function isInterpretation(name: string): boolean {
  return Object.hasOwn(INTERPRETERS, name);
}

/** Verbalizes a text with an interpretation. */
export function sayAs(
  { interpretation, format, written }: { interpretation: string; format: string; written: string },
  resources: SayAsResources,
): readonly FixedWord[] {
  return INTERPRETERS[interpretation]!(written.trim(), format, resources);
}

/** Spells letters, and verbalizes digits and symbols one by one. */
function spellOut(written: string, _format: string, { numbers, verbalize }: SayAsResources): FixedWord[] {
  return [...written.normalize('NFC')].flatMap((character): readonly FixedWord[] => {
    if (/[0-9]/.test(character)) return words(numbers.digits(character));
    if (/\p{Script=Latin}/u.test(character)) return [{ text: character.toUpperCase(), spell: true }];
    return verbalize(character);
  });
}

function verbalizeCardinal(
  written: string,
  _format: string,
  { numbers, verbalize }: SayAsResources,
): readonly FixedWord[] {
  const plain = withoutGroups(written, numbers);
  const match = /^([+-]?)(\d+)(?:\.(\d+))?$/.exec(plain);
  if (!match) return verbalize(written);
  const [, sign, integer = '', fraction] = match;
  const number = fraction === undefined ? numbers.cardinal(integer) : numbers.decimal(integer, fraction);
  return words(sign === '-' ? [...numbers.minus, ...number] : number);
}

function verbalizeOrdinal(
  written: string,
  _format: string,
  { numbers, verbalize }: SayAsResources,
): readonly FixedWord[] {
  const match = /^(\d+)(\D{0,4})$/u.exec(withoutGroups(written, numbers));
  if (!match) return verbalize(written);
  const mark =
    numbers.ordinalMarks.find((known) => known === match[2]!.toLowerCase()) ?? numbers.ordinalMarks[0] ?? '';
  return words(numbers.ordinal(match[1]!, mark) ?? numbers.cardinal(match[1]!));
}

function verbalizeDigits(
  written: string,
  _format: string,
  { numbers, verbalize }: SayAsResources,
): readonly FixedWord[] {
  const digits = written.match(/\d/g);
  return digits ? words(numbers.digits(digits.join(''))) : verbalize(written);
}

/** Digit by digit, with a pause after each group. */
function verbalizeTelephone(
  written: string,
  _format: string,
  { numbers, verbalize }: SayAsResources,
): readonly FixedWord[] {
  const groups = written.match(/\+|\d+/g);
  if (!groups) return verbalize(written);
  return groups.flatMap((group, index): readonly FixedWord[] => {
    if (group === '+') return verbalize('+');
    const spoken = words(numbers.digits(group));
    const last = spoken.at(-1)!;
    return index === groups.length - 1 ? spoken : [...spoken.slice(0, -1), { ...last, after: ',' }];
  });
}

/** A numeric date in the order of `format` (`mdy`, `dm`, `y`, …), default: that of the language. */
function verbalizeDate(
  written: string,
  format: string,
  { numbers, verbalize }: SayAsResources,
): readonly FixedWord[] {
  const compact = /^(\d{4})(\d{2})(\d{2})$/.exec(written)?.slice(1);
  const parts = compact ?? written.split(/[/.\-\s]+/);
  if (!parts.every((part) => /^\d{1,4}$/.test(part))) return verbalize(written);
  const order = dateOrder(parts, compact ? '' : format, numbers);
  if (order.length !== parts.length) return verbalize(written);
  const part = (name: string) => parts[order.indexOf(name)];
  const [day, month, year] = [part('d'), part('m'), part('y')];
  if (month === undefined)
    return year === undefined ? words(numbers.cardinal(day ?? '')) : words(numbers.year(year));
  if (Number(month) < 1 || Number(month) > 12 || Number(day ?? 1) < 1 || Number(day ?? 1) > 31)
    return verbalize(written);
  return words(
    numbers.date({
      month: Number(month),
      ...(day !== undefined && { day: Number(day) }),
      ...(year !== undefined && { year }),
    }),
  );
}

function dateOrder(parts: readonly string[], format: string, numbers: NumberVerbalizer): string {
  // A format may have one letter per digit: yyyymmdd.
  const named = format.replace(/[^dmy]/g, '').replace(/(.)\1+/g, '$1');
  if (named !== '') return named;
  if (parts.length === 3) return parts[0]!.length === 4 ? 'ymd' : numbers.dateOrder;
  if (parts.length === 2) return numbers.dateOrder === 'dmy' ? 'dm' : 'md';
  return 'y';
}

/** Removes group separators and replaces the decimal separator by a point. */
function withoutGroups(written: string, { groupSeparators, decimalSeparator }: NumberVerbalizer): string {
  let plain = written;
  for (const separator of groupSeparators) plain = plain.replaceAll(separator, '');
  return plain.replaceAll(' ', '').replace(decimalSeparator, '.');
}

function words(texts: readonly string[]): FixedWord[] {
  return texts.map((text) => ({ text }));
}
