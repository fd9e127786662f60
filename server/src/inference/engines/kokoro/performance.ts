import { pause } from '../../../audio/dsp/silence.ts';
import { evenCompression, TimeCompressor } from '../../../audio/dsp/time-compressor.ts';
import type { PhonemizedText } from '../../../domain/engines/phonemizer.ts';
import type {
  Insertion,
  PhonemeTime,
  SpeechPart,
  Utterance,
  WordTime,
} from '../../../domain/engines/tts-engine.ts';
import type { KokoroTokens } from '../../phonemizer/tokens/kokoro-tokens.ts';
import { soundFrames } from '../acting/sound-contours.ts';
import { type Splice, spliceInto, spliceTimes } from '../acting/splice.ts';
import { frameBefore, wordsOfTokens } from '../acting/token-words.ts';
import { VoiceFinish } from '../acting/voice-finish.ts';
import { throughStages, type VoiceStage } from '../acting/voice-stage.ts';
import { actFeatures, beginActed, SAMPLES_PER_STEP } from './act.ts';
import type { DecodingJob, KokoroDecoder } from './decoder.ts';
import { FRAMES_PER_SECOND, SAMPLE_RATE_HZ, SAMPLES_PER_FRAME } from './features.ts';
import type { FrontResult } from './front.ts';
import type { KokoroSounds } from './sounds.ts';
import { decodeInWindows, planWindows, type Window } from './windows.ts';

/** Silence the model speaks before the first and after the last sound; more of it is not worth decoding. */
const LEAD_FRAMES_KEPT = 3;
const TAIL_FRAMES_KEPT = 6;

/** An utterance on its way from the front to the ear. */
export interface Performance {
  /** The frames that are heard, as they are decoded. */
  readonly windows: readonly Window[];
  readonly job: DecodingJob;
  /** What the decoded speech goes through; nothing for plain speech. */
  readonly stages: readonly VoiceStage[];
  /** How many times shorter than decoded the speech is heard. */
  readonly compression: number;
  readonly wordTimes: readonly WordTime[];
  /** The frame of the range before which each insertion is heard. */
  readonly insertions: readonly { readonly frame: number; readonly content: Insertion['content'] }[];
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
    readonly compression: number;
  },
): Performance {
  const { utterance, text, tokens, style, decoder, compression } = input;
  const { deliveries, insertions = [], seed, words } = utterance;
  const tokenWords = wordsOfTokens(text, [-1, ...tokens.symbolIndex, -1]);
  const acted = deliveries && actFeatures(front, deliveries, { tokenWords, compression });
  const features = acted?.features ?? front;
  const { tokenFrames } = features;
  const range = audibleRange(tokenFrames);
  const placeOf = (wordIndex: number) => {
    if (wordIndex === 0) return range.from;
    return wordIndex >= words.length ? range.to : frameBefore(wordIndex, tokenWords, tokenFrames);
  };
  const clock = { sampleRateHz: SAMPLE_RATE_HZ, samplesPerStep: SAMPLES_PER_STEP };
  const stages: VoiceStage[] = [];
  if (acted) stages.push(new VoiceFinish(acted.tracks, clock, range.from * SAMPLES_PER_FRAME));
  if (compression > 1) {
    const samples = (range.to - range.from) * SAMPLES_PER_FRAME;
    stages.push(new TimeCompressor(evenCompression(compression, samples, SAMPLE_RATE_HZ)));
  }
  const framesPerSecond = FRAMES_PER_SECOND * compression;
  return {
    windows: planWindows(range, utterance.isLatencyCritical ?? true),
    job: acted ? beginActed(decoder, { style, seed }, acted) : decoder.begin({ features, style, seed }),
    stages,
    compression,
    wordTimes: timeWords({
      ...{ text, tokens, tokenFrames, range, framesPerSecond },
      wantsPhonemes: utterance.wantsPhonemes,
    }),
    insertions: insertions.map(({ wordIndex, content }) => ({
      content,
      frame: Math.min(range.to, Math.max(range.from, placeOf(wordIndex))) - range.from,
    })),
  };
}

/** Yields the audio of a performance, window by window; what is put in comes in one part each. */
export async function* perform(
  { windows: planned, job, stages, compression, wordTimes, insertions }: Performance,
  voice: { readonly sounds: KokoroSounds; readonly style: Float32Array; readonly seed: number },
  signal: AbortSignal,
): AsyncGenerator<SpeechPart> {
  const windows = decodeInWindows(planned, (from, to) => {
    signal.throwIfAborted();
    return job.decode(from, to);
  });
  const splices = insertions.map(({ frame, content }): Splice => {
    const at = Math.round((frame * SAMPLES_PER_FRAME) / compression);
    if (content.kind === 'pause') {
      const silence = pause(content.seconds, SAMPLE_RATE_HZ);
      return { at, length: silence.length, make: () => silence };
    }
    const { sound, intensity } = content;
    const length = soundFrames(sound, FRAMES_PER_SECOND) * SAMPLES_PER_FRAME;
    return { at, length, make: () => voice.sounds.make(sound, { ...voice, intensity }) };
  });
  let times: readonly WordTime[] | undefined = spliceTimes(wordTimes, splices, SAMPLE_RATE_HZ);
  for await (const samples of spliceInto(throughStages(windows, stages), splices)) {
    signal.throwIfAborted();
    yield { samples, sampleRateHz: SAMPLE_RATE_HZ, ...(times && { wordTimes: times }) };
    times = undefined;
  }
}

/** The frames worth decoding: the model's own silence at both ends is cut to a breath. */
function audibleRange(tokenFrames: Int32Array): Window {
  const frames = tokenFrames.reduce((sum, count) => sum + count, 0);
  return {
    from: Math.max(0, tokenFrames[0]! - LEAD_FRAMES_KEPT),
    to: frames - Math.max(0, tokenFrames.at(-1)! - TAIL_FRAMES_KEPT),
  };
}

/**
 * When each word sounds, from the frames of its tokens and of the space before it: there is no silence where a
 * space is written, and the first sound of a word is heard in its frames. Words without a sound are left out.
 */
function timeWords(input: {
  readonly text: PhonemizedText;
  readonly tokens: KokoroTokens;
  readonly tokenFrames: Int32Array;
  readonly range: Window;
  readonly framesPerSecond: number;
  readonly wantsPhonemes: boolean | undefined;
}): WordTime[] {
  const { text, tokens, tokenFrames, range, framesPerSecond } = input;
  const secondsAt = (frame: number) => (frame - range.from) / framesPerSecond;
  const times: WordTime[] = [];
  let token = 0;
  // The first token's frames come after those of the pad in front of it.
  let frame = tokenFrames[0]!;
  for (const [wordIndex, span] of text.wordSpans.entries()) {
    const phonemes: PhonemeTime[] = [];
    let start: number | undefined;
    let spaceFrames = 0;
    for (; token < tokens.ids.length && tokens.symbolIndex[token]! < span.end; token++) {
      const index = tokens.symbolIndex[token]!;
      const frames = tokenFrames[token + 1]!;
      if (index < span.start) spaceFrames = text.symbols[index] === ' ' ? frames : 0;
      else {
        start ??= frame - spaceFrames;
        const symbol = String.fromCodePoint(text.symbols.codePointAt(index)!);
        phonemes.push({ symbol, startSeconds: secondsAt(frame), endSeconds: secondsAt(frame + frames) });
      }
      frame += frames;
    }
    if (start === undefined) continue;
    times.push({
      wordIndex,
      startSeconds: secondsAt(start),
      endSeconds: secondsAt(frame),
      ...(input.wantsPhonemes && { phonemes }),
    });
  }
  return times;
}
