import { fadeIn, fadeOut, pause } from '../../audio/silence.ts';
import { VoiceFinish } from '../acting/voice-finish.ts';
import type { Insertion, SpeechPart, Utterance, WordTime } from '../engine.ts';
import type { KokoroTokens } from '../phonemes/kokoro-tokens.ts';
import type { PhonemizedText } from '../phonemes/phonemizer.ts';
import { actFeatures, beginActed, SAMPLES_PER_STEP } from './act.ts';
import type { DecodingJob, KokoroDecoder } from './decoder.ts';
import { FRAMES_PER_SECOND, SAMPLE_RATE_HZ, SAMPLES_PER_FRAME } from './features.ts';
import type { FrontResult } from './front.ts';
import { cutSegments, type Segment, secondsAt } from './segments.ts';
import { type KokoroSounds, soundFrames } from './sounds.ts';
import { frameBefore, wordsOfTokens } from './token-words.ts';
import { decodeInWindows } from './windows.ts';

/** Silence the model speaks before the first and after the last sound; more of it is not worth decoding. */
const LEAD_FRAMES_KEPT = 3;
const TAIL_FRAMES_KEPT = 6;
/** Where speech is cut to put something in, it is faded this long. */
const CUT_FADE_SAMPLES = 240;

/** An utterance on its way from the front to the ear. */
export interface Performance {
  readonly segments: readonly Segment[];
  readonly wordTimes: readonly WordTime[];
  readonly job: DecodingJob;
  /** Absent for plain speech. */
  readonly finish: VoiceFinish | undefined;
}

/** Plans what is heard of an utterance, and begins to decode it. */
export function planPerformance(
  front: FrontResult,
  input: {
    readonly utterance: Utterance;
    readonly text: PhonemizedText;
    readonly tokens: KokoroTokens;
    readonly style: Float32Array;
    readonly decoder: KokoroDecoder;
  },
): Performance {
  const { utterance, text, tokens, style, decoder } = input;
  const { deliveries, insertions = [], seed } = utterance;
  const tokenWords = wordsOfTokens(text, tokens);
  const acted = deliveries && actFeatures(front, deliveries, tokenWords);
  const features = acted?.features ?? front;
  const { tokenFrames } = features;
  const range = audibleRange(tokenFrames);
  const cutBefore = (wordIndex: number) => {
    if (wordIndex === 0) return range.from;
    if (wordIndex >= utterance.words.length) return range.to;
    return frameBefore(wordIndex, tokenWords, tokenFrames);
  };
  const segments = cutSegments(range, insertions, cutBefore);
  const clock = { sampleRateHz: SAMPLE_RATE_HZ, samplesPerStep: SAMPLES_PER_STEP };
  return {
    segments,
    wordTimes: timeWords(text, tokens, tokenFrames, segments),
    job: acted ? beginActed(decoder, { style, seed }, acted) : decoder.begin({ features, style, seed }),
    finish: acted && new VoiceFinish(acted.tracks, clock),
  };
}

/** Yields the audio of a performance, window by window; sounds come in one part each. */
export async function* perform(
  { segments, wordTimes, job, finish }: Performance,
  sound: { readonly sounds: KokoroSounds; readonly style: Float32Array; readonly seed: number },
  signal: AbortSignal,
): AsyncGenerator<SpeechPart> {
  const decode = (from: number, to: number) => {
    signal.throwIfAborted();
    return job.decode(from, to);
  };
  let times: readonly WordTime[] | undefined = wordTimes;
  for (const [index, segment] of segments.entries()) {
    const isCut = { before: index > 0, after: index < segments.length - 1 };
    for await (const samples of segmentSamples(segment, isCut)) {
      if (samples.length === 0) continue;
      yield { samples, sampleRateHz: SAMPLE_RATE_HZ, ...(times && { wordTimes: times }) };
      times = undefined;
    }
  }

  async function* segmentSamples(
    segment: Segment,
    isCut: { before: boolean; after: boolean },
  ): AsyncGenerator<Float32Array> {
    if (segment.kind === 'insertion') {
      signal.throwIfAborted();
      yield await insertedSamples(segment.content, sound);
      return;
    }
    let at = segment.from * SAMPLES_PER_FRAME;
    for await (const samples of decodeInWindows(segment, decode)) {
      finish?.process(samples, at);
      if (isCut.before && at === segment.from * SAMPLES_PER_FRAME) fadeIn(samples, CUT_FADE_SAMPLES);
      at += samples.length;
      if (isCut.after && at === segment.to * SAMPLES_PER_FRAME) fadeOut(samples, CUT_FADE_SAMPLES);
      yield samples;
    }
  }
}

function insertedSamples(
  content: Insertion['content'],
  { sounds, style, seed }: { sounds: KokoroSounds; style: Float32Array; seed: number },
): Float32Array | Promise<Float32Array> {
  if (content.kind === 'pause') return pause(content.seconds, SAMPLE_RATE_HZ);
  return sounds.make(content.sound, { style, seed, intensity: content.intensity });
}

function insertedSeconds(content: Insertion['content']): number {
  return content.kind === 'pause' ? content.seconds : soundFrames(content.sound) / FRAMES_PER_SECOND;
}

/** The frames worth decoding: the model's own silence at both ends is cut to a breath. */
function audibleRange(tokenFrames: Int32Array): { from: number; to: number } {
  const frames = tokenFrames.reduce((sum, count) => sum + count, 0);
  return {
    from: Math.max(0, tokenFrames[0]! - LEAD_FRAMES_KEPT),
    to: frames - Math.max(0, tokenFrames.at(-1)! - TAIL_FRAMES_KEPT),
  };
}

/** When each word sounds, from the frames of its tokens. Words without a sound are left out. */
function timeWords(
  text: PhonemizedText,
  tokens: KokoroTokens,
  tokenFrames: Int32Array,
  segments: readonly Segment[],
): WordTime[] {
  const times: WordTime[] = [];
  let token = 0;
  // The first token's frames come after those of the pad in front of it.
  let frame = tokenFrames[0]!;
  for (const [wordIndex, span] of text.wordSpans.entries()) {
    let start: number | undefined;
    for (; token < tokens.ids.length && tokens.symbolIndex[token]! < span.end; token++) {
      if (tokens.symbolIndex[token]! >= span.start) start ??= frame;
      frame += tokenFrames[token + 1]!;
    }
    if (start === undefined) continue;
    times.push({
      wordIndex,
      startSeconds: secondsAt({ frame: start, side: 'start' }, segments, insertedSeconds),
      endSeconds: secondsAt({ frame, side: 'end' }, segments, insertedSeconds),
    });
  }
  return times;
}
