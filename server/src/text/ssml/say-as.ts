import type { FixedWord } from '../normalise/fixed-spans.ts';
import type { NumberVerbalizer } from '../normalise/numbers/number-verbalizer.ts';

/** What a language brings to read a text in a given way. */
export interface SayAsResources {
  readonly numbers: NumberVerbalizer;
  /** Reads a text as the language does on its own, numbers, signs and all. */
  readonly verbalize: (text: string) => readonly FixedWord[];
}

type Interpreter = (written: string, format: string, resources: SayAsResources) => readonly FixedWord[];

const asItIs: Interpreter = (written, _format, { verbalize }) => verbalize(written);

/** The ways in which a `say-as` element can be read. What does not fit its way is read as it is. */
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
  time: asItIs,
  telephone: verbalizeTelephone,
  phone: verbalizeTelephone,
  currency: asItIs,
  fraction: (written, format, resources) =>
    asItIs(written.replace(/(\d)\s*\+\s*(?=\d)/, '$1 '), format, resources),
  unit: asItIs,
  // Left out; the silence in its place is the caller's.
  expletive: () => [],
  bleep: () => [],
};

/** Whether there is such a way to read a text. */
export function isInterpretation(name: string): boolean {
  return Object.hasOwn(INTERPRETERS, name);
}

/** The words of a text that is to be read in a given way. */
export function sayAs(
  { interpretation, format, written }: { interpretation: string; format: string; written: string },
  resources: SayAsResources,
): readonly FixedWord[] {
  return INTERPRETERS[interpretation]!(written.trim(), format, resources);
}

/** Letters by their names, figures one by one, signs by theirs. */
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

/** Figure by figure, with a pause after each group. */
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

/** A date in figures in the order that `format` names (`mdy`, `dm`, `y`, …), or the language's own. */
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
  // Years and days may be written with as many letters as figures: yyyymmdd.
  const named = format.replace(/[^dmy]/g, '').replace(/(.)\1+/g, '$1');
  if (named !== '') return named;
  if (parts.length === 3) return parts[0]!.length === 4 ? 'ymd' : numbers.dateOrder;
  if (parts.length === 2) return numbers.dateOrder === 'dmy' ? 'dm' : 'md';
  return 'y';
}

/** A number with a full stop for its decimals and nothing between its groups. */
function withoutGroups(written: string, { groupSeparators, decimalSeparator }: NumberVerbalizer): string {
  let plain = written;
  for (const separator of groupSeparators) plain = plain.replaceAll(separator, '');
  return plain.replaceAll(' ', '').replace(decimalSeparator, '.');
}

function words(texts: readonly string[]): FixedWord[] {
  return texts.map((text) => ({ text }));
}
