import { DETECTED_LANGUAGES, type DetectedLanguage, FUNCTION_WORDS } from './function-words.ts';
import { addLetterCosts } from './letter-costs.ts';

/** The language of a text with fewer letters cannot be detected. */
const ENOUGH_LETTERS = /^(?:\P{L}*\p{L}){16}/u;
/** The same for basic letters, in a fraction of the time. */
const ENOUGH_BASIC_LETTERS = /^(?:[^a-zA-Z]*[a-zA-Z]){16}/;
/** Maximum number of characters that are examined. */
const EXAMINED_MAX = 400;
/** The cost that a function word saves its language, in the unit of the costs of n-grams. */
const FUNCTION_WORD_WEIGHT = 8;
/** Another language must be cheaper than English by this cost per root of the word count. */
const MARGIN = 3;
/** A text with fewer function words may consist of names and loanwords, which have the spelling of another language. */
const FUNCTION_WORDS_MIN = 0.3;
/** The factor of the margin for such a text. */
const NAMES_FACTOR = 6;
const INVERTED_MARK_WEIGHT = 20;
const WORD = /[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*/gu;

/** A value for each of `DETECTED_LANGUAGES`. */
type Scores = number[];
const ENGLISH = DETECTED_LANGUAGES.indexOf('en');
const SPANISH = DETECTED_LANGUAGES.indexOf('es');

/** Function words with their share in each language; a word of several languages counts less for each of them. */
const FUNCTION_WORD_SHARES: ReadonlyMap<string, Scores> = shareFunctionWords();

function shareFunctionWords(): Map<string, Scores> {
  const languagesOf = new Map<string, number[]>();
  for (const [index, language] of DETECTED_LANGUAGES.entries())
    for (const word of FUNCTION_WORDS[language])
      languagesOf.set(word, [...(languagesOf.get(word) ?? []), index]);
  return new Map(
    [...languagesOf].map(([word, languages]) => {
      const share = (word.length === 1 ? 0.5 : 1) / languages.length;
      return [word, DETECTED_LANGUAGES.map((_, index) => (languages.includes(index) ? share : 0))];
    }),
  );
}

function addTo(total: Scores, values: readonly number[] | undefined): void {
  if (values !== undefined)
    for (let index = 0; index < values.length; index++) total[index]! += values[index]!;
}

interface LanguageScores {
  readonly words: number;
  /** The language with the lowest cost is the most probable one. */
  readonly costs: readonly number[];
  readonly functionWords: readonly number[];
}

function scoreLanguages(text: string): LanguageScores {
  const costs: Scores = DETECTED_LANGUAGES.map(() => 0);
  const functionWords: Scores = DETECTED_LANGUAGES.map(() => 0);
  let words = 0;
  for (const written of text.match(WORD) ?? []) {
    words++;
    const word = written.toLowerCase().replaceAll('’', "'");
    addLetterCosts(costs, word);
    addTo(functionWords, FUNCTION_WORD_SHARES.get(word));
  }
  addTo(
    costs,
    functionWords.map((score) => -FUNCTION_WORD_WEIGHT * score),
  );
  if (/[¿¡]/.test(text)) costs[SPANISH]! -= INVERTED_MARK_WEIGHT;
  return { words, costs, functionWords };
}

/**
 * Detects the language of a sentence by its letters and function words; undefined if it is too short or not clear.
 * The time is bounded: the first 400 characters are examined.
 */
export function detectLanguage(text: string): DetectedLanguage | undefined {
  const examined = text.slice(0, EXAMINED_MAX).normalize('NFC');
  if (!ENOUGH_BASIC_LETTERS.test(examined) && !ENOUGH_LETTERS.test(examined)) return undefined;
  const { words, costs, functionWords } = scoreLanguages(examined);
  const best = costs.indexOf(Math.min(...costs));
  if (best === ENGLISH) return costs.some((cost) => cost > costs[ENGLISH]!) ? 'en' : undefined;
  if (functionWords[best]! < functionWords[ENGLISH]!) return undefined;
  const factor = functionWords[best]! < FUNCTION_WORDS_MIN ? NAMES_FACTOR : 1;
  const isClear = costs[ENGLISH]! - costs[best]! >= factor * MARGIN * Math.sqrt(words);
  return isClear ? DETECTED_LANGUAGES[best] : undefined;
}

const SENTENCE = /[^.!?…\n]{1,400}[.!?…\n]*/gu;
/** Number of sentences that are examined. */
const SENTENCES_MAX = 8;

/**
 * The language of a text, if all its sentences that can be identified are in one language; undefined for a text in
 * several languages.
 */
export function detectTextLanguage(text: string): DetectedLanguage | undefined {
  let found: DetectedLanguage | undefined;
  let examined = 0;
  for (const [sentence] of text.matchAll(SENTENCE)) {
    if (examined++ >= SENTENCES_MAX) break;
    const language = detectLanguage(sentence);
    if (language === undefined) continue;
    if (found !== undefined && found !== language) return undefined;
    found = language;
  }
  return found;
}
