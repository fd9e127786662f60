import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { ApiError } from '../../errors.ts';
import type { TranscriptWord } from './transcription-service.ts';

/** A word of a given text with its time in a recording. */
export interface AlignedWord {
  readonly text: string;
  /** UTF-16 offset in the text. */
  readonly start: number;
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Confidence that the word is spoken there, 0 to 1; 0 for a word that the transcript does not have. */
  readonly confidence: number;
}

/** Maximum product of the numbers of words of text and transcript, which bounds memory and time. */
const CELLS_MAX = 8_000_000;
const ROWS_PER_TURN = 64;

type Step = 0 | 1 | 2;
const PAIR: Step = 0;
const ONLY_TEXT: Step = 1;
const ONLY_TRANSCRIPT: Step = 2;

/**
 * Aligns a text with the transcript of a recording: by minimum edit distance of their words. A word that the transcript
 * does not have gets a share of the time between its neighbours. Throws `text_too_long`.
 */
export async function alignText(text: string, recognised: readonly TranscriptWord[]): Promise<AlignedWord[]> {
  const words = Array.from(text.matchAll(/\S+/g), ({ 0: word, index }) => ({ text: word, start: index }));
  if ((words.length + 1) * (recognised.length + 1) > CELLS_MAX) {
    throw new ApiError('text_too_long', 'The text and the recording have too many words to be aligned.');
  }
  const steps = await editSteps(
    words.map((word) => comparable(word.text)),
    recognised.map((word) => comparable(word.text)),
  );
  const partners = backtrack(steps, words.length, recognised.length);
  const known = words.map((_, index) => recognised[partners[index] ?? -1]);
  const endOfAudio = recognised.at(-1)?.endSeconds ?? 0;
  const times = fillGaps(known, endOfAudio);
  return words.map((word, index) => ({
    ...word,
    ...times[index]!,
    confidence: confidenceOf(word.text, known[index]),
  }));
}

/** Half the confidence of another word than the one in the text. */
function confidenceOf(word: string, partner: TranscriptWord | undefined): number {
  if (partner === undefined) return 0;
  return comparable(partner.text) === comparable(word) ? partner.confidence : partner.confidence / 2;
}

/** Letters and digits of a word in lower case. */
function comparable(word: string): string {
  return word.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

/** The last step of the cheapest path to each cell of the table. */
async function editSteps(words: readonly string[], recognised: readonly string[]): Promise<Uint8Array> {
  const width = recognised.length + 1;
  const steps = new Uint8Array((words.length + 1) * width);
  let above = Uint32Array.from({ length: width }, (_, column) => column);
  steps.fill(ONLY_TRANSCRIPT, 1, width);
  for (let row = 1; row <= words.length; row++) {
    const costs = new Uint32Array(width);
    costs[0] = row;
    steps[row * width] = ONLY_TEXT;
    for (let column = 1; column < width; column++) {
      const pair = above[column - 1]! + (words[row - 1] === recognised[column - 1] ? 0 : 1);
      const onlyText = above[column]! + 1;
      const onlyTranscript = costs[column - 1]! + 1;
      const best = Math.min(pair, onlyText, onlyTranscript);
      costs[column] = best;
      steps[row * width + column] = best === pair ? PAIR : best === onlyText ? ONLY_TEXT : ONLY_TRANSCRIPT;
    }
    above = costs;
    if (row % ROWS_PER_TURN === 0) await yieldToEventLoop();
  }
  return steps;
}

/** The index of the transcript word of each word; undefined for a word without one. */
function backtrack(steps: Uint8Array, wordCount: number, recognisedCount: number): (number | undefined)[] {
  const partners = new Array<number | undefined>(wordCount).fill(undefined);
  for (let row = wordCount, column = recognisedCount; row > 0; ) {
    const step = steps[row * (recognisedCount + 1) + column];
    if (step === PAIR) partners[row - 1] = column - 1;
    if (step !== ONLY_TRANSCRIPT) row--;
    if (step !== ONLY_TEXT) column--;
  }
  return partners;
}

/** A time in a recording. */
interface TimeSpan {
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/**
 * The time of each word: that of its partner, or for words without one, the gap between their neighbours, divided
 * evenly. One pass, because a text may have ten thousand words without a partner.
 */
export function fillGaps(partners: readonly (TimeSpan | undefined)[], endOfAudio: number): TimeSpan[] {
  const times: TimeSpan[] = [];
  while (times.length < partners.length) {
    const first = times.length;
    const partner = partners[first];
    if (partner !== undefined) {
      times.push({ startSeconds: partner.startSeconds, endSeconds: partner.endSeconds });
      continue;
    }
    let next = first + 1;
    while (next < partners.length && partners[next] === undefined) next++;
    const from = times.at(-1)?.endSeconds ?? 0;
    const to = Math.max(from, partners[next]?.startSeconds ?? endOfAudio);
    const share = (to - from) / (next - first);
    for (let index = 0; index < next - first; index++) {
      times.push({ startSeconds: from + index * share, endSeconds: from + (index + 1) * share });
    }
  }
  return times;
}
