import { joinSamples } from '../../src/audio/pcm.ts';
import { combineDeliveries, NEUTRAL_DELIVERY } from '../../src/domain/engines/delivery.ts';
import type { Insertion, TtsEngine, Utterance, WordTime } from '../../src/domain/engines/tts-engine.ts';
import { CUES } from '../../src/domain/speech/acting/cue-table.ts';
import { textToPieces } from '../../src/text/front-end/text-to-pieces.ts';

/** A text with "|" where something is inserted, its voice, and what is inserted. */
export interface BreakCase {
  readonly voice: string;
  readonly text: string;
  readonly content: Insertion['content'];
  /** Name of the cue that the words after the insertion are spoken with; absent: neutral. */
  readonly cue?: string | undefined;
}

/** Speech on the wrong side of an insertion. */
export interface BreakLeak {
  readonly side: 'before' | 'after';
  readonly milliseconds: number;
  /** Level relative to the loudest 50 ms of the speech. */
  readonly decibels: number;
}

const STEP_SECONDS = 0.005;
/** A word that is cut off lies within this time of the cut. */
const REACH_STEPS = 24;
/** Speech that is separated from the cut by less than this is the word itself, not a remainder of another one. */
const DIP_DB = 12;
const AUDIBLE_DB = -40;
const LEAK_STEPS_MIN = 2;
/** The engine cuts within the gap between two words, and up to one frame beside it. */
const GAP_MARGIN_SECONDS = 0.03;

/**
 * Synthesizes a case and looks for a remainder of the next word before the insertion, and of the preceding word after
 * it: sound next to the cut that is separated by a dip from the speech of its side, and that lies in the half of the gap
 * of the other word. A plosive at the end of a word ("late") is separated by a dip as well, but lies in its own half.
 */
export async function findBreakLeaks(engine: TtsEngine, testCase: BreakCase): Promise<BreakLeak[]> {
  const { before, after, middleSeconds } = await synthesize(engine, testCase);
  const cutSeconds = before.length / engine.sampleRateHz;
  const peak = Math.max(...levels(before, engine.sampleRateHz), ...levels(after, engine.sampleRateHz));
  const leakBefore = findLeak(levels(before, engine.sampleRateHz).reverse(), peak);
  const leakAfter = findLeak(levels(after, engine.sampleRateHz), peak);
  const isOfNext = leakBefore && cutSeconds - leakBefore.centreSeconds > middleSeconds;
  const isOfPrevious = leakAfter && cutSeconds + leakAfter.centreSeconds < middleSeconds;
  return [
    ...(isOfNext ? [{ side: 'before' as const, ...leakBefore }] : []),
    ...(isOfPrevious ? [{ side: 'after' as const, ...leakAfter }] : []),
  ];
}

async function synthesize(
  engine: TtsEngine,
  { voice, text, content, cue }: BreakCase,
): Promise<{ before: Float32Array; after: Float32Array; middleSeconds: number }> {
  const [head] = text.split('|') as [string, string];
  const wordsOf = (part: string) =>
    [...textToPieces(part, { ...READING, firstPieceLength: Number.POSITIVE_INFINITY })].flatMap(
      (piece) => piece.words,
    );
  const wordIndex = wordsOf(head).length;
  const words = wordsOf(text.replace('|', ''));
  const delivery = combineDeliveries([cue === undefined ? {} : (CUES.get(cue)?.delivery ?? {})]);
  const deliveries = words.map((_, index) => (index < wordIndex ? NEUTRAL_DELIVERY : delivery));
  const utterance: Utterance = {
    words,
    ...(cue !== undefined && { deliveries }),
    language: voice.startsWith('b') ? 'en-GB' : 'en-US',
    speed: 1,
    seed: 1,
    voice: { kind: 'named', name: voice },
    insertions: [{ wordIndex, content }],
  };
  // The insertion is a part of its own.
  const parts: Float32Array[] = [];
  for await (const part of engine.speak(utterance, new AbortController().signal)) parts.push(part.samples);
  const plain: Float32Array[] = [];
  const times: WordTime[] = [];
  const without = { ...utterance, insertions: [], needsPhonemeTimes: true };
  for await (const part of engine.speak(without, new AbortController().signal)) {
    plain.push(part.samples);
    times.push(...(part.wordTimes ?? []));
  }
  const timeOf = (index: number) => times.find((time) => time.wordIndex === index)!;
  const endSeconds = timeOf(wordIndex - 1).phonemes!.at(-1)!.endSeconds;
  const startSeconds = timeOf(wordIndex).phonemes![0]!.startSeconds;
  const insertedLength = lengthOf(parts) - lengthOf(plain);
  const starts = parts.map((_, at) => lengthOf(parts.slice(0, at)) / engine.sampleRateHz);
  // A part of speech may be as long as the insertion (0.5 s, the first window), but does not begin between the words.
  const isInGap = (seconds: number) =>
    seconds > endSeconds - GAP_MARGIN_SECONDS && seconds < startSeconds + GAP_MARGIN_SECONDS;
  const index = parts.findIndex((part, at) => part.length === insertedLength && isInGap(starts[at]!));
  if (index < 0) throw new Error(`no insertion of ${insertedLength} samples in "${text}"`);
  return {
    before: joinSamples(parts.slice(0, index)),
    after: joinSamples(parts.slice(index + 1)),
    middleSeconds: (endSeconds + startSeconds) / 2,
  };
}

const READING = {
  language: 'en-US',
  normalize: true,
  cueStyle: 'both',
  chunkLength: 300,
  minChunkLength: 300,
} as const;

const lengthOf = (parts: readonly Float32Array[]) => parts.reduce((sum, part) => sum + part.length, 0);

/** Levels of consecutive steps in decibels. */
function levels(samples: Float32Array, sampleRateHz: number): number[] {
  const step = Math.round(STEP_SECONDS * sampleRateHz);
  return Array.from({ length: Math.floor(samples.length / step) }, (_, index) => {
    let sum = 0;
    for (let at = index * step; at < (index + 1) * step; at++) sum += samples[at]! * samples[at]!;
    return 10 * Math.log10(sum / step + 1e-10);
  });
}

/** `steps` begin at the cut. Sound near the cut, then a dip, then the speech that belongs to this side. */
function findLeak(
  steps: readonly number[],
  peak: number,
): { milliseconds: number; decibels: number; centreSeconds: number } | undefined {
  const near = steps.slice(0, REACH_STEPS).map((level) => level - peak);
  let run = 0;
  let loudest = Number.NEGATIVE_INFINITY;
  for (const [index, level] of near.entries()) {
    if (level > AUDIBLE_DB) run++;
    loudest = Math.max(loudest, level);
    const isDip = loudest > AUDIBLE_DB && level < loudest - DIP_DB && level < AUDIBLE_DB;
    if (isDip && run >= LEAK_STEPS_MIN && index > 0)
      return {
        milliseconds: run * STEP_SECONDS * 1000,
        decibels: loudest,
        centreSeconds: (index * STEP_SECONDS) / 2,
      };
  }
  return undefined;
}
