import { matchAt } from '../../match-at.ts';
import { englishUnit } from '../numbers/en-units.ts';
import {
  say,
  spell,
  type Verbalization,
  type VerbalizationContext,
  type VerbalizationRule,
} from '../verbalization.ts';

/** Words with a slash: he/she, w/o, N/A, km/h. A slash between other words is not verbalized: "and/or". */
export const slashRules: readonly VerbalizationRule[] = [
  verbalizeShortForm,
  verbalizePronouns,
  verbalizeUnit,
  verbalizeLetters,
];

const SHORT_FORM = /(?:w\/o|w\/|c\/o|b\/c)(?!\p{L})/uy;
const SHORT_FORMS: Readonly<Record<string, string>> = {
  'w/o': 'without',
  'w/': 'with',
  'c/o': 'care of',
  'b/c': 'because',
};

function verbalizeShortForm({ text }: VerbalizationContext, at: number): Verbalization | undefined {
  const written = matchAt(SHORT_FORM, text, at)?.[0];
  if (!written) return undefined;
  return { words: say(SHORT_FORMS[written]!, at, at + written.length), end: at + written.length };
}

const PRONOUNS =
  /(?:(he|she|him|her|his|hers|himself|herself)\/(he|she|him|her|his|hers|himself|herself|they|them|their)|([sS])\/he)(?!\p{L})/iuy;

/** "he/she" is verbalized as "he or she". */
function verbalizePronouns({ text }: VerbalizationContext, at: number): Verbalization | undefined {
  const match = matchAt(PRONOUNS, text, at);
  if (!match) return undefined;
  const [written, first, second, short] = match;
  const end = at + written.length;
  if (short) return { words: say('she or he', at, end), end };
  const [firstEnd, secondAt] = [at + first!.length, end - second!.length];
  return {
    words: [...say(first!, at, firstEnd), ...say('or', firstEnd, secondAt), ...say(second!, secondAt, end)],
    end,
  };
}

const UNIT = /[a-zA-Z]{1,4}\/[a-z]{1,5}[²³]?(?![\p{L}\d])/uy;

/** A unit without a number: "speed in km/h". */
function verbalizeUnit({ text }: VerbalizationContext, at: number): Verbalization | undefined {
  const written = matchAt(UNIT, text, at)?.[0];
  const name = written && englishUnit(written, true);
  return name ? { words: say(name, at, at + written.length), end: at + written.length } : undefined;
}

const LETTERS = /\p{L}\/\p{L}(?![\p{L}\d/])/uy;

/** Two letters: A/B, I/O, N/A. */
function verbalizeLetters({ text }: VerbalizationContext, at: number): Verbalization | undefined {
  if (!matchAt(LETTERS, text, at)) return undefined;
  return { words: [...spell(text[at]!, at, at + 1), ...spell(text[at + 2]!, at + 2, at + 3)], end: at + 3 };
}
