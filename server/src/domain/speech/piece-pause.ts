import type { Language, SpokenWord } from '../../text/piece.ts';
import type { VoicePauses } from '../voices/voice.ts';
import type { ActedPiece } from './acting/cue-scope.ts';

/** Pauses of a voice without measurement: about the median of the measured ones. */
export const TYPICAL_PAUSES: VoicePauses = { sentence: 0.45, clause: 0.3 };

/** A cut without punctuation, and the end of the text. */
const PHRASE_PAUSE_SECONDS = 0.07;
const END_PAUSE_SECONDS = 0.14;
/** A paragraph ends with the pause of a long sentence and this. */
const PARAGRAPH_EXTRA_SECONDS = 0.4;
/** After very short clauses the engines speak on almost at once; between pieces a boundary stays audible. */
const SENTENCE_PAUSE_MIN_SECONDS = 0.12;
const CLAUSE_PAUSE_MIN_SECONDS = 0.06;

/** Length of the clause before the pauses of a voice, and of the words after them. */
const REFERENCE_LETTERS = 50;
const REFERENCE_FOLLOWING_LETTERS = 40;
/**
 * A longer clause before the pause and more words after it lengthen it, by as much for voices with short and with long
 * pauses, after a full stop and a comma.
 */
const SECONDS_PER_LETTER = 0.0025;
const SECONDS_PER_FOLLOWING_LETTER = 0.002;
/** Lengths for which this holds. After shorter clauses the pause falls in proportion to `SHORTEST_SHARE`. */
const CLAUSE_LETTERS = { min: 18, max: 80 };
const FOLLOWING_LETTERS = { min: 20, max: 80 };
const SHORTEST_SHARE = 0.35;

/** Factors by punctuation, on the pause of a sentence or a clause. Mean of 28 voices within utterances. */
const PAUSE_OF_MARK: Readonly<Record<string, { kind: keyof VoicePauses; factor: number }>> = {
  '.': { kind: 'sentence', factor: 1 },
  '…': { kind: 'sentence', factor: 1 },
  '?': { kind: 'sentence', factor: 0.9 },
  '!': { kind: 'sentence', factor: 0.87 },
  ';': { kind: 'sentence', factor: 0.93 },
  ':': { kind: 'sentence', factor: 0.75 },
  '—': { kind: 'sentence', factor: 0.75 },
  ',': { kind: 'clause', factor: 1 },
};
const MARK = /[.…?!;:—,]/;
const LAST_MARK = /[.…?!;:—,](?=[^.…?!;:—,]*$)/;

/** Letters that a character of the text stands for. */
const LETTERS_PER_CHARACTER: Readonly<Partial<Record<Language, number>>> = { zh: 3, ja: 3 };

/**
 * The pause between a piece and the next one, at speed 1. It follows the pauses that engines make at the same place
 * within a piece: they depend on the voice, the punctuation, and the lengths of the clause before it and of the words
 * after it, if these are known.
 */
export function pauseAfterPiece(
  { words, boundary }: Pick<ActedPiece, 'words' | 'boundary'>,
  { pauses, language }: { readonly pauses: VoicePauses; readonly language: Language },
  following?: readonly SpokenWord[],
): number {
  if (boundary === 'phrase') return PHRASE_PAUSE_SECONDS;
  if (boundary === 'end') return END_PAUSE_SECONDS;
  if (boundary === 'paragraph') return pauses.sentence + PARAGRAPH_EXTRA_SECONDS;
  const [mark = boundary === 'sentence' ? '.' : ','] = LAST_MARK.exec(words.at(-1)?.after ?? '') ?? [];
  const { kind, factor } = PAUSE_OF_MARK[mark]!;
  const perCharacter = LETTERS_PER_CHARACTER[language] ?? 1;
  const letters = lettersOfLastClause(words) * perCharacter;
  const followingLetters = following && lettersOf(following) * perCharacter;
  const minimum = boundary === 'sentence' ? SENTENCE_PAUSE_MIN_SECONDS : CLAUSE_PAUSE_MIN_SECONDS;
  const seconds = pauseAfterClause(pauses[kind] * factor, letters, followingLetters);
  return Math.max(Math.min(minimum, pauses[kind]), seconds);
}

/** The pause after a clause, by the pause of the voice after 50 letters and before 40. */
function pauseAfterClause(
  seconds: number,
  letters: number,
  followingLetters = REFERENCE_FOLLOWING_LETTERS,
): number {
  const share = Math.min(1, SHORTEST_SHARE + ((1 - SHORTEST_SHARE) * letters) / CLAUSE_LETTERS.min);
  const before = SECONDS_PER_LETTER * (clamp(letters, CLAUSE_LETTERS) - REFERENCE_LETTERS);
  const after =
    SECONDS_PER_FOLLOWING_LETTER * (clamp(followingLetters, FOLLOWING_LETTERS) - REFERENCE_FOLLOWING_LETTERS);
  return share * (seconds + before + after);
}

function clamp(value: number, { min, max }: { readonly min: number; readonly max: number }): number {
  return Math.min(max, Math.max(min, value));
}

function lettersOf(words: readonly SpokenWord[]): number {
  return words.reduce((sum, { text }) => sum + text.length + 1, 0);
}

/** Letters and spaces since the preceding punctuation. */
function lettersOfLastClause(words: readonly SpokenWord[]): number {
  let letters = 0;
  for (let index = words.length - 1; index >= 0; index--) {
    const { text, after } = words[index]!;
    if (index < words.length - 1 && MARK.test(after)) break;
    letters += text.length + 1;
  }
  return letters;
}
