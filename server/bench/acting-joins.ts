import { measureSpeech } from '../src/audio/dsp/speech-measures.ts';
import { joinSamples } from '../src/audio/pcm.ts';
import type { SpeechPart, TtsEngine, Utterance } from '../src/domain/engines/tts-engine.ts';
import { WORDS_BEFORE } from '../src/domain/speech/piece-synthesizer.ts';
import type { SpokenWord } from '../src/text/piece.ts';
import { readText } from '../src/text/reading/read-text.ts';

/** How far the speech after a join is from the speech before it. */
export interface Join {
  readonly semitones: number;
  readonly decibels: number;
  /** How much faster, in percent. */
  readonly pacePercent: number;
}

/** A sentence that is spoken in two pieces, and the voice that speaks it. */
export interface JoinedSentence {
  readonly engine: TtsEngine;
  readonly voice: string;
  readonly text: string;
}

/** What several joins come to. */
export interface JoinSummary {
  /** The mean change. */
  readonly change: Join;
  /** How far, on the whole, it is from the change at the same places of sentences said in one go. */
  readonly offWhole: Join;
}

/** Sentences too long for one piece, so that they are cut at a comma. */
export const LONG_SENTENCES = [
  'The museum opened its doors at ten on a grey Saturday, and by noon there was a queue that reached the fountain.',
  'The police came the next morning, two very polite officers, who wrapped the picture in a blanket and drank some tea.',
  'When the storm had passed we walked down to the beach, and there was more of it left than anyone had expected.',
  'By the afternoon the whole village smelled of orange peel, and my aunt was boiling marmalade in every pot she owned.',
  'I spent my summers in that house by the river, and I learned to read the weather from the way the swallows flew.',
  'He asked whether he might look at the frame more closely, and then he had to sit down for a while before he spoke.',
] as const;

/** How a sentence is said: in one go, or in pieces that go on from each other or begin afresh. */
export type Cutting = 'whole' | 'continuous' | 'independent';

/** What is compared on either side of a join. */
const AROUND_SECONDS = 1.2;
const LANGUAGE = 'en-US';
const WHOLE_LENGTH = 300;
const PIECE_LENGTH = 80;

/** Measures the joins of all sentences with a voice. */
export async function summarizeJoins(voice: Omit<JoinedSentence, 'text'>): Promise<[Cutting, JoinSummary][]> {
  const measured = new Map<Cutting, Join[]>();
  for (const cutting of ['whole', 'independent', 'continuous'] as const) {
    const joins: Join[] = [];
    for (const text of LONG_SENTENCES) joins.push(...(await measureJoins({ ...voice, text }, cutting)));
    measured.set(cutting, joins);
  }
  const whole = measured.get('whole')!;
  return [...measured].map(([cutting, joins]) => {
    const change = meanJoin(joins, (join, field) => join[field]);
    const offWhole = meanJoin(joins, (join, field, index) => Math.abs(join[field] - whole[index]![field]));
    return [cutting, { change, offWhole }];
  });
}

function meanJoin(
  joins: readonly Join[],
  read: (join: Join, field: keyof Join, index: number) => number,
): Join {
  const mean = (field: keyof Join) =>
    joins.reduce((sum, join, index) => sum + read(join, field, index), 0) / joins.length;
  return { semitones: mean('semitones'), decibels: mean('decibels'), pacePercent: mean('pacePercent') };
}

/** Measures what changes in a sentence where pieces meet, or would meet if it were cut. */
export async function measureJoins(sentence: JoinedSentence, cutting: Cutting): Promise<Join[]> {
  const { engine, voice, text } = sentence;
  const cut = wordsOfPieces(text, PIECE_LENGTH);
  const spoken = cutting === 'whole' ? wordsOfPieces(text, WHOLE_LENGTH) : cut;
  const words: TimedWord[] = [];
  let before: readonly SpokenWord[] = [];
  for (const [index, piece] of spoken.entries()) {
    const utterance: Utterance = {
      ...{ words: piece, precedingWords: before, language: LANGUAGE, speed: 1, seed: index + 1 },
      voice: { kind: 'named', name: voice },
    };
    words.push(...(await speak(engine, utterance)));
    if (cutting === 'continuous') before = piece.slice(-WORDS_BEFORE);
  }
  let place = 0;
  return cut.slice(0, -1).map((piece) => {
    place += piece.length;
    return compare(words.slice(0, place), words.slice(place), engine.sampleRateHz);
  });
}

function wordsOfPieces(text: string, chunkLength: number): (readonly SpokenWord[])[] {
  const lengths = { chunkLength, minChunkLength: 50, firstPieceLength: chunkLength };
  const pieces = readText(text, { ...lengths, language: LANGUAGE, normalize: true, cueStyle: 'both' });
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

function compare(before: readonly TimedWord[], after: readonly TimedWord[], sampleRateHz: number): Join {
  const enough = AROUND_SECONDS * sampleRateHz;
  const last = [...take([...before].reverse(), enough)].reverse();
  const first = take(after, enough);
  const [from, to] = [last, first].map((words) => measure(words, sampleRateHz)) as [Manner, Manner];
  return {
    semitones: 12 * Math.log2(to.pitchHz / from.pitchHz),
    decibels: to.levelDb - from.levelDb,
    pacePercent: 100 * (to.pace / from.pace - 1),
  };
}

interface Manner {
  readonly pitchHz: number;
  readonly levelDb: number;
  readonly pace: number;
}

function measure(words: readonly TimedWord[], sampleRateHz: number): Manner {
  const samples = joinSamples(words.map((word) => word.samples));
  const { pitchHz, levelDb } = measureSpeech(samples, sampleRateHz);
  return { pitchHz, levelDb, pace: words.reduce((sum, { letters }) => sum + letters, 0) / samples.length };
}

/** The first words that together last long enough. */
function take(words: readonly TimedWord[], enough: number): TimedWord[] {
  let length = 0;
  return words.filter(({ samples }) => {
    const isNeeded = length < enough;
    length += samples.length;
    return isNeeded;
  });
}
