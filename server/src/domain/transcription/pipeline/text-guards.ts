import type { AsrWord } from '../../engines/asr-engine.ts';

/** The longest loop that is looked for, in words. */
const LOOP_WORDS_MAX = 10;
/** Said so often in a row it is the model that goes in circles, not the speaker. */
const LOOP_TIMES_MIN = 4;
/** A word alone may be said more often: "no, no, no, no". */
const SINGLE_WORD_TIMES_MIN = 7;
/** Nobody says a phrase of so many words twice in a row, word for word; models do. */
const ECHO_WORDS_MIN = 7;
const ECHO_WORDS_MAX = 60;
/** So many are enough where a sentence was over and the very first words come again. */
const RESTART_WORDS_MIN = 3;

const SENTENCE_END = /[.!?…。！？]["'”’»)]*$/u;

/**
 * The words before a model began to go in circles: of a phrase that comes again and again the first two are
 * kept. All of them when it did not.
 */
export function withoutLoop<Word extends Pick<AsrWord, 'text'>>(words: readonly Word[]): readonly Word[] {
  const plain = words.map(({ text }) => normalizeWord(text));
  for (let start = 0; start < words.length; start++) {
    for (let size = 1; size <= LOOP_WORDS_MAX; size++) {
      const times = timesInARow(plain, start, size);
      if (times >= (size === 1 ? SINGLE_WORD_TIMES_MIN : LOOP_TIMES_MIN)) {
        return [...words.slice(0, start + 2 * size), ...withoutLoop(words.slice(start + times * size))];
      }
    }
  }
  for (let start = 0; start + ECHO_WORDS_MIN + RESTART_WORDS_MIN <= words.length; start++) {
    for (let size = ECHO_WORDS_MIN; size <= ECHO_WORDS_MAX; size++) {
      const times = timesInARow(plain, start, size);
      if (times > 1) {
        return withoutLoop([...words.slice(0, start + size), ...words.slice(start + times * size)]);
      }
      const isRestart = start === 0 && SENTENCE_END.test(words[size - 1]?.text ?? '');
      const leastWords = isRestart ? RESTART_WORDS_MIN : ECHO_WORDS_MIN;
      if (isBegunAgain(plain, start, size, leastWords)) return words.slice(0, start + size);
    }
  }
  return words;
}

/** Whether the words end in the beginning of the phrase before them; the very last one may be cut off. */
function isBegunAgain(words: readonly string[], start: number, size: number, leastWords: number): boolean {
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

/** Whether a phrase comes again. Asked for every place and size, so it gives up at the first word that differs. */
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

/** A word as it is compared: without case and punctuation. */
export function normalizeWord(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}']/gu, '');
}

/** What is known of a stretch and of the text that was heard in it. */
export interface Evidence {
  readonly speechSeconds: number;
  readonly confidence: number;
  readonly noSpeech: number | undefined;
  readonly text: string;
}

/** Nobody speaks more letters in a second. */
const LETTERS_PER_SECOND_MAX = 45;

/** Whether a text was more likely made up than heard. Models fill noise and music with words they know well. */
export function isInvented({ speechSeconds, confidence, noSpeech = 0, text }: Evidence): boolean {
  const letters = text.replaceAll(/[^\p{L}\p{N}]/gu, '').length;
  if (letters === 0) return true;
  if (letters > 8 + LETTERS_PER_SECOND_MAX * speechSeconds) return true;
  if (noSpeech > 0.6 && confidence < 0.6) return true;
  // The less speech there was, the surer the model must have been.
  if (speechSeconds < 0.3) return confidence < 0.7;
  return speechSeconds < 1 ? confidence < 0.4 : confidence < 0.2;
}
