import { matchAt } from '../../match-at.ts';
import {
  say,
  spell,
  spellPlural,
  type Verbalization,
  type VerbalizationContext,
  type VerbalizationRule,
  type VerbalizedWord,
} from '../verbalization.ts';
import { ABBREVIATIONS, type Ending, SENTENCE_OPENERS, STATES } from './abbreviation-list.ts';
import { LETTER_NOUN } from './acronyms.ts';

/** Abbreviations, initials and dotted letters: Dr., St., No. 5, e.g., U.S.A., J. K. Rowling. */
export const abbreviationRules: readonly VerbalizationRule[] = [
  verbalizeDotted,
  verbalizeCompassPoint,
  verbalizeInitial,
  verbalizeVersus,
  verbalizeEtAl,
  verbalizeEdition,
  verbalizeLifeDate,
  verbalizeAbbreviation,
  verbalizePostalState,
];

const WORD = /\p{L}[\p{L}'-]{0,30}/uy;
const GAP = /[\s“(]{1,4}/uy;
const REST_IS_CLOSING = /[\s”')]{0,8}$/uy;

function nextWord(text: string, at: number): string {
  const gap = matchAt(GAP, text, at);
  return gap ? (matchAt(WORD, text, at + gap[0].length)?.[0] ?? '') : '';
}

function endsHere(text: string, at: number, ending: Ending): boolean {
  if (matchAt(REST_IS_CLOSING, text, at)) return true;
  if (ending === 'never' || !/[\s”)]/.test(text[at]!)) return false;
  const next = nextWord(text, at);
  return ending === 'before a capital' ? /^\p{Lu}/u.test(next) : SENTENCE_OPENERS.has(next);
}

function finish(words: readonly VerbalizedWord[], text: string, end: number, ending: Ending): Verbalization {
  return endsHere(text, end, ending) ? { words, end, endsSentence: true } : { words, end };
}

const PLAIN = /(\p{L}{1,8})(\.?)(?![\p{L}\d'])/uy;

function verbalizeAbbreviation(context: VerbalizationContext, at: number): Verbalization | undefined {
  const { text } = context;
  const match = matchAt(PLAIN, text, at);
  if (!match) return undefined;
  const [written, name] = match;
  const hasStop = match[2] === '.';
  const end = at + written.length;
  if (name === 'St' || name === 'Sts') return verbalizeSaintOrStreet(context, at, end, hasStop);
  if (name === 'Dr' && hasStop && isDrive(context, end)) {
    return finish(say('drive', at, end), text, end, 'before a sentence opener');
  }
  const entry = ABBREVIATIONS.get(name!);
  if (!entry || !(hasStop || entry.stopOptional || isKnownWithoutStop(name!, context, end))) return undefined;
  if (entry.beforeNumber && !/^\s?[\d#IVX]/.test(text.slice(end, end + 2))) return undefined;
  // "Mr. and Mrs." precedes no name; a title without its full stop must.
  const needsName = entry.beforeName && !(entry.stopOptional && hasStop);
  if (needsName && !/^\p{Lu}/u.test(nextWord(text, end))) return undefined;
  const verbalization = finish(say(entry.words, at, end), text, end, entry.ending);
  return hasStop ? verbalization : { words: verbalization.words, end };
}

/** Abbreviations of addresses and names that are often written without a full stop: "12 Oak Ave", "Apt 4B", "King Jr". */
function isKnownWithoutStop(name: string, { text, previous }: VerbalizationContext, end: number): boolean {
  if (/^(?:Apt|Ste|Rm|Bldg|Hwy|Rte)$/.test(name) && /\d/.test(text[end + 1] ?? '')) return true;
  if (/^(?:Apt|Ste|Rm|Bldg)$/.test(name)) return /^\s#?\w?\d/.test(text.slice(end, end + 4));
  return (
    /^(?:Ave|Blvd|Rd|Ln|Hwy|Pkwy|Jr|Sr)$/.test(name) && /^\p{Lu}\p{Ll}|\d(?:st|nd|rd|th)$/u.test(previous)
  );
}

/** "Elm Dr." and "12 Oak Dr. Turn left" are streets; "by Dr. Patel" is not. */
function isDrive({ text, previous, beforePrevious }: VerbalizationContext, end: number): boolean {
  if (!/^\p{Lu}\p{Ll}/u.test(previous)) return false;
  const next = nextWord(text, end);
  return !/^\p{Lu}/u.test(next) || /^\d/.test(beforePrevious) || SENTENCE_OPENERS.has(next);
}

function verbalizeSaintOrStreet(
  context: VerbalizationContext,
  at: number,
  end: number,
  hasStop: boolean,
): Verbalization | undefined {
  const { text, previous, beforePrevious } = context;
  const next = nextWord(text, end);
  const isAfterName = /^\p{Lu}\p{Ll}|\d(?:st|nd|rd|th)$/u.test(previous);
  const isBeforeName = /^\p{Lu}/u.test(next);
  const isStreet = isAfterName && (!isBeforeName || /^\d/.test(beforePrevious) || SENTENCE_OPENERS.has(next));
  if (isBeforeName && !isStreet)
    return { words: say(text[at + 2] === 's' ? 'saints' : 'saint', at, end), end };
  if (!isStreet && !hasStop) return undefined;
  return finish(say('street', at, end), text, end, hasStop ? 'before a sentence opener' : 'never');
}

const DOTTED = /(?:\p{L}\.){2,8}(?:\p{L}(?![\p{L}\d]))?(?:'s)?/uy;
const DOTTED_WORDS: ReadonlyMap<string, string> = new Map([
  ['e.g.', 'for example'],
  ['i.e.', 'that is'],
  ['n.b.', 'note well'],
]);
const DEGREES = /(?:Ph\.\s?D|M\.\s?Sc|B\.\s?Sc|Ed\.\s?D|M\.\s?Ed|LL\.\s?B|LL\.\s?M)\.?(?!\p{L})/uy;

function verbalizeDotted({ text }: VerbalizationContext, at: number): Verbalization | undefined {
  const written = (matchAt(DEGREES, text, at) ?? matchAt(DOTTED, text, at))?.[0];
  if (!written) return undefined;
  const end = at + written.length;
  const phrase = DOTTED_WORDS.get(written.toLowerCase());
  if (phrase) return { words: say(phrase, at, end), end };
  const letters = written.replace(/'s$/, '').replace(/[^\p{L}]/gu, '');
  const words = written.endsWith("'s") ? spellPlural(letters, at, end) : spell(letters, at, end);
  return written.endsWith('.') ? finish(words, text, end, 'before a sentence opener') : { words, end };
}

const INITIAL = /\p{Lu}\.(?=\s\p{Lu}|-\p{Lu}\.)/uy;

/** "J. Smith", "George W. Bush"; but "vitamin C. It" ends a sentence. */
function verbalizeInitial(
  { text, previous, beforePrevious }: VerbalizationContext,
  at: number,
): Verbalization | undefined {
  if (!matchAt(INITIAL, text, at)) return undefined;
  const end = at + 2;
  const next = nextWord(text, end);
  const isMoreInitials = next.length === 1 && text[end + 2] === '.';
  if (SENTENCE_OPENERS.has(next) && !isMoreInitials) return undefined;
  const endsList = beforePrevious.length === 1 && /^(?:and|or)$/.test(previous);
  if (LETTER_NOUN.test(previous) || endsList) return undefined;
  return { words: spell(text[at]!, at, end), end };
}

const VERSUS = /v\.(?=\s\p{Lu})/uy;

/** "Roe v. Wade". */
function verbalizeVersus({ text, previous }: VerbalizationContext, at: number): Verbalization | undefined {
  if (!/^\p{Lu}/u.test(previous) || !matchAt(VERSUS, text, at)) return undefined;
  return { words: say('versus', at, at + 2), end: at + 2 };
}

const ET_AL = /et al\./y;

function verbalizeEtAl({ text }: VerbalizationContext, at: number): Verbalization | undefined {
  if (!matchAt(ET_AL, text, at)) return undefined;
  return finish(say('et al', at, at + 6), text, at + 6, 'before a sentence opener');
}

const EDITION = /(?:ed|edn)\.(?!\p{L})/uy;
const BEFORE_EDITION =
  /^(?:\d{1,3}(?:st|nd|rd|th)|rev\.?|revised|first|second|third|fourth|fifth|new|intl\.?)$/i;

/** "3rd ed., revised". */
function verbalizeEdition({ text, previous }: VerbalizationContext, at: number): Verbalization | undefined {
  const match = BEFORE_EDITION.test(previous) ? matchAt(EDITION, text, at) : null;
  if (!match) return undefined;
  const end = at + match[0].length;
  return finish(say('edition', at, end), text, end, 'before a sentence opener');
}

const LIFE_DATE = new RegExp(
  '(?:b|d|m|r|fl)\\.(?=\\s(?:c(?:a|irca)?\\.?\\s)?(?:\\d{3,4}(?![\\d,])|' +
    '(?:\\d{1,2}\\s)?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}))',
  'y',
);
const LIFE_EVENTS: Readonly<Record<string, string>> = {
  ...{ b: 'born', d: 'died', m: 'married', r: 'reigned', fl: 'flourished' },
};

/** "b. 1950", "d. 15 Apr. 1890" in a biography. */
function verbalizeLifeDate({ text }: VerbalizationContext, at: number): Verbalization | undefined {
  const match = matchAt(LIFE_DATE, text, at);
  if (!match || !/[\s(“–—]/.test(text[at - 1] ?? ' ')) return undefined;
  const end = at + match[0].length;
  return { words: say(LIFE_EVENTS[match[0].slice(0, -1)]!, at, end), end };
}

const COMPASS_POINT = /[NSEW]\.(?=\s(?:\d|\p{Lu}\p{Ll}))/uy;
const COMPASS_WORDS: Readonly<Record<string, string>> = { N: 'north', S: 'south', E: 'east', W: 'west' };

/** "W. 42nd St.", "100 N. Main St." */
function verbalizeCompassPoint(
  { text, previous }: VerbalizationContext,
  at: number,
): Verbalization | undefined {
  if (!matchAt(COMPASS_POINT, text, at) || !(/^\d/.test(previous) || /\d/.test(text[at + 3]!)))
    return undefined;
  return { words: say(COMPASS_WORDS[text[at]!]!, at, at + 2), end: at + 2 };
}

const STATE = /([A-Z]{2})(?![\p{L}\d])(?=(\s\d{5}(?!\d))?)/uy;
/** State abbreviations that are also words or names: they must precede a postal code or punctuation. */
const AMBIGUOUS_STATES = new Set(['AL', 'HI', 'ID', 'IN', 'LA', 'MA', 'ME', 'OH', 'OK', 'OR', 'PA']);

/** "Boston, MA 02101": the name of the state. */
function verbalizePostalState(
  { text, previous }: VerbalizationContext,
  at: number,
): Verbalization | undefined {
  const match = matchAt(STATE, text, at);
  if (!match || !/^\p{Lu}\p{Ll}/u.test(previous)) return undefined;
  if (!/,\s$/.test(text.slice(Math.max(0, at - 2), at))) return undefined;
  const [, letters, postalCode] = match;
  const end = at + 2;
  const isClear = postalCode || !AMBIGUOUS_STATES.has(letters!) || /^[.,;]?$/.test(text.slice(end, end + 1));
  const name = STATES.get(letters!);
  return name && isClear ? { words: say(name, at, end), end } : undefined;
}
