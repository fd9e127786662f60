import { DETECTED_LANGUAGES, type DetectedLanguage, FUNCTION_WORDS, SPELLINGS } from './function-words.ts';

/** Minimum number of letters of a text whose language can be detected. */
const LETTERS_MIN = 16;
/** Maximum number of characters that are examined. */
const EXAMINED_MAX = 400;
/** Another language must exceed English by this score per root of the word count. */
const MARGIN = 0.15;
/** Spelling alone does not identify a language: names and loanwords have the spelling of another one. */
const FUNCTION_SCORE_MIN = 0.3;
const WORD = /[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*/gu;

const WORD_SCORES: ReadonlyMap<string, readonly (readonly [DetectedLanguage, number])[]> =
  scoreFunctionWords();

function scoreFunctionWords(): Map<string, (readonly [DetectedLanguage, number])[]> {
  const languagesOf = new Map<string, DetectedLanguage[]>();
  for (const language of DETECTED_LANGUAGES)
    for (const word of FUNCTION_WORDS[language])
      languagesOf.set(word, [...(languagesOf.get(word) ?? []), language]);
  return new Map(
    [...languagesOf].map(([word, languages]) => {
      const score = (word.length === 1 ? 0.5 : 1) / languages.length;
      return [word, languages.map((language) => [language, score] as const)];
    }),
  );
}

interface LanguageScores {
  readonly words: number;
  /** Function words and spelling. */
  readonly scores: ReadonlyMap<DetectedLanguage, number>;
  /** Function words alone. */
  readonly functionScores: ReadonlyMap<DetectedLanguage, number>;
}

/** The scores of all languages for a text. */
function scoreLanguages(text: string): LanguageScores {
  const zeros = () => new Map<DetectedLanguage, number>(DETECTED_LANGUAGES.map((language) => [language, 0]));
  const scores = zeros();
  const functionScores = zeros();
  const add = (language: DetectedLanguage, score: number) =>
    scores.set(language, scores.get(language)! + score);
  const examined = text.slice(0, EXAMINED_MAX);
  let words = 0;
  for (const [written] of examined.matchAll(WORD)) {
    words++;
    const word = written.toLowerCase().replaceAll('’', "'");
    for (const [language, score] of WORD_SCORES.get(word) ?? []) {
      add(language, score);
      functionScores.set(language, functionScores.get(language)! + score);
    }
    for (const language of DETECTED_LANGUAGES)
      for (const [pattern, weight] of SPELLINGS[language]) if (pattern.test(word)) add(language, weight);
  }
  if (/[¿¡]/.test(examined)) add('es', 1.5);
  return { words, scores, functionScores };
}

/**
 * Detects the language of a sentence by its function words and spelling; undefined if it is too short or not clear.
 * The time is bounded: the first 400 characters are examined.
 */
export function detectLanguage(text: string): DetectedLanguage | undefined {
  const letters = text.slice(0, EXAMINED_MAX).match(/\p{L}/gu)?.length ?? 0;
  if (letters < LETTERS_MIN) return undefined;
  const { words, scores, functionScores } = scoreLanguages(text);
  const english = scores.get('en')!;
  const [language, score] = [...scores].reduce((best, entry) => (entry[1] > best[1] ? entry : best));
  if (language === 'en') return score > 0 ? 'en' : undefined;
  const functionScore = functionScores.get(language)!;
  const isClear = functionScore >= FUNCTION_SCORE_MIN && functionScore > functionScores.get('en')!;
  return isClear && score - english >= MARGIN * Math.sqrt(words) ? language : undefined;
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
