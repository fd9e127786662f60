import { measureSpeech } from '../../src/audio/dsp/speech-measures.ts';
import { joinSamples } from '../../src/audio/pcm.ts';
import type { SpeechPart, TtsEngine, Utterance } from '../../src/domain/engines/tts-engine.ts';
import { PRECEDING_WORDS_MAX } from '../../src/domain/speech/piece-synthesizer.ts';
import { textToPieces } from '../../src/text/front-end/text-to-pieces.ts';
import type { SpokenWord } from '../../src/text/piece.ts';

/** Difference between the speech after and before a piece boundary. */
export interface Boundary {
  readonly semitones: number;
  readonly decibels: number;
  /** Change of the speaking rate in percent. */
  readonly ratePercent: number;
}

/** A sentence of at least two pieces, and its voice. */
export interface SplitSentence {
  readonly engine: TtsEngine;
  readonly voice: string;
  readonly text: string;
}

/** Summary over several boundaries. */
export interface BoundarySummary {
  /** Mean difference. */
  readonly change: Boundary;
  /** Mean absolute deviation from the difference at the same position of an unsplit sentence. */
  readonly deviation: Boundary;
}

/** Sentences too long for one piece, which are split at a comma. */
export const LONG_SENTENCES = [
  'The museum opened its doors at ten on a grey Saturday, and by noon there was a queue that reached the fountain.',
  'The police came the next morning, two very polite officers, who wrapped the picture in a blanket and drank some tea.',
  'When the storm had passed we walked down to the beach, and there was more of it left than anyone had expected.',
  'By the afternoon the whole village smelled of orange peel, and my aunt was boiling marmalade in every pot she owned.',
  'I spent my summers in that house by the river, and I learned to read the weather from the way the swallows flew.',
  'He asked whether he might look at the frame more closely, and then he had to sit down for a while before he spoke.',
] as const;

/** How a sentence is synthesized: unsplit, or in pieces with or without the preceding words as context. */
export type Segmentation = 'whole' | 'continuous' | 'independent';

/** Speech compared on either side of a boundary. */
const CONTEXT_SECONDS = 1.2;
const LANGUAGE = 'en-US';
const WHOLE_LENGTH = 300;
const PIECE_LENGTH = 80;

/** Measures the boundaries of all sentences with a voice. */
export async function summarizeBoundaries(
  voice: Omit<SplitSentence, 'text'>,
): Promise<[Segmentation, BoundarySummary][]> {
  const measured = new Map<Segmentation, Boundary[]>();
  for (const segmentation of ['whole', 'independent', 'continuous'] as const) {
    const boundaries: Boundary[] = [];
    for (const text of LONG_SENTENCES)
      boundaries.push(...(await measureBoundaries({ ...voice, text }, segmentation)));
    measured.set(segmentation, boundaries);
  }
  const whole = measured.get('whole')!;
  return [...measured].map(([segmentation, boundaries]) => {
    const change = meanBoundary(boundaries, (boundary, field) => boundary[field]);
    const deviation = meanBoundary(boundaries, (boundary, field, index) =>
      Math.abs(boundary[field] - whole[index]![field]),
    );
    return [segmentation, { change, deviation }];
  });
}

function meanBoundary(
  boundaries: readonly Boundary[],
  read: (boundary: Boundary, field: keyof Boundary, index: number) => number,
): Boundary {
  const mean = (field: keyof Boundary) =>
    boundaries.reduce((sum, boundary, index) => sum + read(boundary, field, index), 0) / boundaries.length;
  return { semitones: mean('semitones'), decibels: mean('decibels'), ratePercent: mean('ratePercent') };
}

/** Measures the differences at piece boundaries, or at the same positions of an unsplit sentence. */
export async function measureBoundaries(
  sentence: SplitSentence,
  segmentation: Segmentation,
): Promise<Boundary[]> {
  const { engine, voice, text } = sentence;
  const cut = wordsOfPieces(text, PIECE_LENGTH);
  const spoken = segmentation === 'whole' ? wordsOfPieces(text, WHOLE_LENGTH) : cut;
  const words: TimedWord[] = [];
  let precedingWords: readonly SpokenWord[] = [];
  for (const [index, piece] of spoken.entries()) {
    const utterance: Utterance = {
      ...{ words: piece, precedingWords, language: LANGUAGE, speed: 1, seed: index + 1 },
      voice: { kind: 'named', name: voice },
    };
    words.push(...(await speak(engine, utterance)));
    if (segmentation === 'continuous') precedingWords = piece.slice(-PRECEDING_WORDS_MAX);
  }
  let position = 0;
  return cut.slice(0, -1).map((piece) => {
    position += piece.length;
    return compare(words.slice(0, position), words.slice(position), engine.sampleRateHz);
  });
}

function wordsOfPieces(text: string, chunkLength: number): (readonly SpokenWord[])[] {
  const lengths = { chunkLength, minChunkLength: 50, firstPieceLength: chunkLength };
  const pieces = textToPieces(text, { ...lengths, language: LANGUAGE, normalize: true, cueStyle: 'both' });
  return [...pieces].map(({ words }) => words);
}

interface TimedWord {
  readonly letters: number;
  readonly samples: Float32Array;
}

async function speak(engine: TtsEngine, utterance: Utterance): Promise<TimedWord[]> {
  const parts: SpeechPart[] = [];
  for await (const part of engine.speak(utterance, new AbortController().signal)) parts.push(part);
  const samples = joinSamples(parts.map((part) => part.samples));
  const at = (seconds: number) => Math.round(seconds * engine.sampleRateHz);
  return parts
    .flatMap((part) => part.wordTimes ?? [])
    .map(({ wordIndex, startSeconds, endSeconds }) => ({
      letters: utterance.words[wordIndex]!.text.length,
      samples: samples.subarray(at(startSeconds), at(endSeconds)),
    }));
}

function compare(before: readonly TimedWord[], after: readonly TimedWord[], sampleRateHz: number): Boundary {
  const enough = CONTEXT_SECONDS * sampleRateHz;
  const last = [...take([...before].reverse(), enough)].reverse();
  const first = take(after, enough);
  const [from, to] = [last, first].map((words) => measure(words, sampleRateHz)) as [
    BoundaryMeasures,
    BoundaryMeasures,
  ];
  return {
    semitones: 12 * Math.log2(to.pitchHz / from.pitchHz),
    decibels: to.levelDb - from.levelDb,
    ratePercent: 100 * (to.lettersPerSample / from.lettersPerSample - 1),
  };
}

interface BoundaryMeasures {
  readonly pitchHz: number;
  readonly levelDb: number;
  readonly lettersPerSample: number;
}

function measure(words: readonly TimedWord[], sampleRateHz: number): BoundaryMeasures {
  const samples = joinSamples(words.map((word) => word.samples));
  const { pitchHz, levelDb } = measureSpeech(samples, sampleRateHz);
  const letters = words.reduce((sum, word) => sum + word.letters, 0);
  return { pitchHz, levelDb, lettersPerSample: letters / samples.length };
}

/** The first words with a total duration of at least `enough` samples. */
function take(words: readonly TimedWord[], enough: number): TimedWord[] {
  let length = 0;
  return words.filter(({ samples }) => {
    const isNeeded = length < enough;
    length += samples.length;
    return isNeeded;
  });
}
