import type { AsrWord } from '../../engines/asr-engine.ts';

/** Maximum length of a detected repetition loop, in words. */
const LOOP_WORDS_MAX = 10;
/** Consecutive repetitions of a phrase that indicate a loop of the model. */
const LOOP_TIMES_MIN = 4;
/** A single word may be repeated more often in real speech: "no, no, no, no". */
const SINGLE_WORD_TIMES_MIN = 7;
/** Minimum length of a phrase whose exact repetition indicates a fault of the model. */
const ECHO_WORDS_MIN = 7;
const ECHO_WORDS_MAX = 60;
/** Minimum length of a repetition of the first words after the end of a sentence. */
const RESTART_WORDS_MIN = 3;

const SENTENCE_END = /[.!?…。！？]["'”’»)]*$/u;

/** A word, with its times where they are known. */
type GuardedWord = Pick<AsrWord, 'text'> & Partial<Pick<AsrWord, 'startSeconds' | 'endSeconds'>>;

/**
 * Removes repetition loops of the model: the first two occurrences of a looping phrase remain. A phrase that was
 * spoken several times, as its word times show, remains. Returns the same array when there is no loop.
 */
export function removeRepetitions<Word extends GuardedWord>(words: readonly Word[]): readonly Word[] {
  const plain = words.map(({ text }) => normalizeWord(text));
  for (let start = 0; start < words.length; start++) {
    for (let size = 1; size <= LOOP_WORDS_MAX; size++) {
      const times = timesInARow(plain, start, size);
      const isLoop = times >= (size === 1 ? SINGLE_WORD_TIMES_MIN : LOOP_TIMES_MIN);
      if (isLoop && !isSpokenAgain(words, { start, size, times })) {
        return [...words.slice(0, start + 2 * size), ...removeRepetitions(words.slice(start + times * size))];
      }
    }
  }
  for (let start = 0; start + ECHO_WORDS_MIN + RESTART_WORDS_MIN <= words.length; start++) {
    for (let size = ECHO_WORDS_MIN; size <= ECHO_WORDS_MAX; size++) {
      const times = timesInARow(plain, start, size);
      if (times > 1 && !isSpokenAgain(words, { start, size, times })) {
        return removeRepetitions([...words.slice(0, start + size), ...words.slice(start + times * size)]);
      }
      const isRestart = start === 0 && SENTENCE_END.test(words[size - 1]?.text ?? '');
      const leastWords = isRestart ? RESTART_WORDS_MIN : ECHO_WORDS_MIN;
      const isRestartedNow = isRestarted(plain, start, size, leastWords);
      if (isRestartedNow && !isRestartSpoken(words, start, size)) return words.slice(0, start + size);
    }
  }
  return words;
}

/** Least duration of an occurrence of a phrase that is spoken several times, relative to the median. */
const SPOKEN_DURATION_RATIO_MIN = 0.4;
/** Least share of the occurrences with a plausible duration. Word times are not exact. */
const SPOKEN_SHARE_MIN = 0.75;
/** Maximum speaking rate of a repeated phrase, in letters per second. Alignment squeezes words without audio. */
const SPOKEN_LETTERS_PER_SECOND_MAX = 30;

/** Whether every occurrence of a phrase covers audio of its own: they have similar durations at a plausible rate. */
function isSpokenAgain(
  words: readonly GuardedWord[],
  { start, size, times }: { start: number; size: number; times: number },
): boolean {
  const starts = Array.from({ length: times }, (_, index) => words[start + index * size]!.startSeconds ?? 0);
  const isInOrder = starts.every((at, index) => index === 0 || at > starts[index - 1]!);
  if (!isInOrder) return false;
  return arePlausible(
    Array.from({ length: times }, (_, index) =>
      words.slice(start + index * size, start + (index + 1) * size),
    ),
  );
}

/** The same for a phrase whose beginning follows it. */
function isRestartSpoken(words: readonly GuardedWord[], start: number, size: number): boolean {
  const again = words.slice(start + size);
  return arePlausible([words.slice(start, start + again.length), again]);
}

function arePlausible(phrases: readonly (readonly GuardedWord[])[]): boolean {
  const durations = phrases.map((phrase) => {
    const [from, to] = [phrase[0]?.startSeconds, phrase.at(-1)?.endSeconds];
    return from === undefined || to === undefined ? 0 : to - from;
  });
  const median = durations.toSorted((one, two) => one - two)[Math.floor(durations.length / 2)]!;
  const plausible = phrases.filter((phrase, index) => {
    const letters = phrase.reduce((sum, { text }) => sum + normalizeWord(text).length, 0);
    const isFast = letters > SPOKEN_LETTERS_PER_SECOND_MAX * durations[index]!;
    return !isFast && durations[index]! >= SPOKEN_DURATION_RATIO_MIN * median;
  });
  return plausible.length >= SPOKEN_SHARE_MIN * phrases.length;
}

/** Whether the words end with the start of the phrase before them. The last word may be truncated. */
function isRestarted(words: readonly string[], start: number, size: number, leastWords: number): boolean {
  const count = words.length - start - size;
  if (count < leastWords || count > size) return false;
  const again = words.slice(start + size);
  const last = again.length - 1;
  return again.every((word, index) => {
    const before = words[start + index]!;
    return index === last ? before.startsWith(word) : before === word;
  });
}

function timesInARow(words: readonly string[], start: number, size: number): number {
  let times = 1;
  while (isSame(words, { start, again: start + times * size, size })) times++;
  return times;
}

/** Whether a phrase repeats. Called for every position and size, so it returns at the first different word. */
function isSame(
  words: readonly string[],
  { start, again, size }: { start: number; again: number; size: number },
): boolean {
  if (again + size > words.length) return false;
  for (let index = 0; index < size; index++) {
    if (words[start + index] !== words[again + index]) return false;
  }
  return true;
}

/** The form of a word for comparison: lower case, without punctuation. */
export function normalizeWord(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}']/gu, '');
}

/** The properties of a segment and its text that indicate a hallucination. */
export interface Evidence {
  readonly speechSeconds: number;
  readonly confidence: number;
  readonly noSpeech: number | undefined;
  readonly text: string;
}

/** Maximum speaking rate, in letters per second. */
const LETTERS_PER_SECOND_MAX = 45;

/** Whether a text is probably a hallucination. Models produce frequent phrases on noise and music. */
export function isHallucination({ speechSeconds, confidence, noSpeech = 0, text }: Evidence): boolean {
  const letters = text.replaceAll(/[^\p{L}\p{N}]/gu, '').length;
  if (letters === 0) return true;
  if (letters > 8 + LETTERS_PER_SECOND_MAX * speechSeconds) return true;
  if (noSpeech > 0.6 && confidence < 0.6) return true;
  // The required confidence increases as the duration of speech decreases.
  if (speechSeconds < 0.3) return confidence < 0.7;
  return speechSeconds < 1 ? confidence < 0.4 : confidence < 0.2;
}
