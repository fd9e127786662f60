import { createSilence } from '../../../audio/dsp/silence.ts';
import { TimeCompressor, uniformCompression } from '../../../audio/dsp/time-compressor.ts';
import type { PhonemizedText } from '../../../domain/engines/phonemizer.ts';
import type {
  Insertion,
  PhonemeTime,
  SpeechPart,
  Utterance,
  WordTime,
} from '../../../domain/engines/tts-engine.ts';
import type { KokoroTokens } from '../../phonemizer/tokens/kokoro-tokens.ts';
import { type AudioStage, runStages } from '../acting/audio-stage.ts';
import { LevelStage } from '../acting/level-stage.ts';
import { type Splice, spliceInto, spliceTimes } from '../acting/splice.ts';
import { frameBeforeWord, gapBeforeWord, mapTokensToWords } from '../acting/token-words.ts';
import { vocalSoundFrames } from '../acting/vocal-sound-contours.ts';
import { levelWindows, type UtteranceLeveller } from '../loudness/utterance-leveller.ts';
import { applyDeliveries, beginActedDecoding, SAMPLES_PER_STEP } from './acted-features.ts';
import type { DecodingJob, KokoroDecoder } from './decoders/decoder.ts';
import { decodeInWindows, planWindows, type Window } from './decoders/windows.ts';
import type { FrontResult } from './front.ts';
import { createLeveller, predictLevels } from './leveller.ts';
import { FRAMES_PER_SECOND, SAMPLE_RATE_HZ, SAMPLES_PER_FRAME } from './networks/features.ts';
import type { KokoroVocalSounds, SoundVoice } from './vocal-sounds.ts';

/** Frames of silence kept before the first and after the last phoneme. */
const LEADING_SILENCE_FRAMES = 3;
const TRAILING_SILENCE_FRAMES = 6;
/** The alignment of a gap is accurate to about one frame. */
const GAP_MARGIN_FRAMES = 1;

/** What is needed to render an utterance after the front. */
export interface UtterancePlan {
  /** The audible frames, divided into decoding windows. */
  readonly windows: readonly Window[];
  readonly job: DecodingJob;
  /** Set for neutral speech whose loudness is given. */
  readonly leveller: UtteranceLeveller | undefined;
  /** Stages applied to the decoded audio; empty for neutral speech. */
  readonly stages: readonly AudioStage[];
  /** Time compression of the decoded audio; 1 is none. */
  readonly compression: number;
  readonly wordTimes: readonly WordTime[];
  /** Insertions with their frame relative to the start of the audible range. */
  readonly insertions: readonly {
    readonly frame: number;
    /** The frames between two words, within which the speech may be cut. Absent at the ends of the utterance. */
    readonly gap?: Window;
    readonly content: Insertion['content'];
  }[];
}

/** Plans the windows, stages and insertions of an utterance and starts its decoding. */
export function planUtterance(
  front: FrontResult,
  input: {
    readonly utterance: Utterance;
    readonly text: PhonemizedText;
    readonly tokens: KokoroTokens;
    readonly style: Float32Array;
    readonly decoderVoice: Float32Array | undefined;
    readonly decoder: KokoroDecoder;
    readonly compression: number;
  },
): UtterancePlan {
  const { utterance, text, tokens, style, decoderVoice, decoder, compression } = input;
  const { deliveries, insertions = [], seed, words } = utterance;
  const tokenWords = mapTokensToWords(text, [-1, ...tokens.symbolIndex, -1]);
  const acted = deliveries && applyDeliveries(front, deliveries, { tokenWords, compression });
  const features = acted?.features ?? front;
  const { tokenFrames } = features;
  const range = audibleRange(tokenFrames);
  const frameOf = (wordIndex: number) => {
    if (wordIndex === 0) return range.from;
    return wordIndex >= words.length ? range.to : frameBeforeWord(wordIndex, tokenWords, tokenFrames);
  };
  const gapOf = (wordIndex: number): Window | undefined => {
    if (wordIndex === 0 || wordIndex >= words.length) return undefined;
    const { from, to } = gapBeforeWord(wordIndex, tokenWords, tokenFrames);
    return {
      from: Math.max(range.from, from - GAP_MARGIN_FRAMES) - range.from,
      to: Math.min(range.to, to + GAP_MARGIN_FRAMES) - range.from,
    };
  };
  const clock = { sampleRateHz: SAMPLE_RATE_HZ, samplesPerStep: SAMPLES_PER_STEP };
  const stages: AudioStage[] = [];
  if (acted) stages.push(new LevelStage(acted.tracks, clock, range.from * SAMPLES_PER_FRAME));
  if (compression > 1) {
    const samples = (range.to - range.from) * SAMPLES_PER_FRAME;
    stages.push(new TimeCompressor(uniformCompression(compression, samples, SAMPLE_RATE_HZ)));
  }
  const framesPerSecond = FRAMES_PER_SECOND * compression;
  const leveller = createLeveller(utterance);
  leveller?.predict(predictLevels(features, range));
  // A decoder that decodes everything at once gives everything at once, so that all of it is levelled alike.
  const isWindowed = decoder.contextFrames !== undefined;
  return {
    windows: isWindowed ? planWindows(range, utterance.isLatencyCritical ?? true) : [range],
    leveller,
    job: acted
      ? beginActedDecoding(decoder, { style, decoderVoice, seed }, acted)
      : decoder.begin({ features, style, decoderVoice, seed }),
    stages,
    compression,
    wordTimes: timeWords({
      text,
      tokens,
      tokenFrames,
      range,
      framesPerSecond,
      wantsPhonemes: utterance.needsPhonemeTimes,
    }),
    insertions: insertions.map(({ wordIndex, content }) => {
      const gap = gapOf(wordIndex);
      const frame = Math.min(range.to, Math.max(range.from, frameOf(wordIndex))) - range.from;
      return { content, frame, ...(gap && { gap }) };
    }),
  };
}

/** Yields the audio of a plan, window by window; every insertion is one part. */
export async function* renderUtterance(
  { windows: planned, job, leveller, stages, compression, wordTimes, insertions }: UtterancePlan,
  voice: { readonly vocalSounds: KokoroVocalSounds } & Omit<SoundVoice, 'intensity'>,
  signal: AbortSignal,
): AsyncGenerator<SpeechPart> {
  let windowsLeft = planned.length;
  const decoded = decodeInWindows(planned, (from, to) => {
    signal.throwIfAborted();
    windowsLeft--;
    return job.decode(from, to);
  });
  const windows = levelWindows(decoded, leveller);
  const sampleOf = (frame: number) => Math.round((frame * SAMPLES_PER_FRAME) / compression);
  const splices = insertions.map(({ frame, gap: frames, content }): Splice => {
    const at = sampleOf(frame);
    const gap = frames && { gap: { from: sampleOf(frames.from), to: sampleOf(frames.to) } };
    if (content.kind === 'pause') {
      const silence = createSilence(content.seconds, SAMPLE_RATE_HZ);
      return { at, ...gap, length: silence.length, render: () => silence };
    }
    const { sound, intensity } = content;
    const length = vocalSoundFrames(sound, FRAMES_PER_SECOND) * SAMPLES_PER_FRAME;
    return { at, ...gap, length, render: () => voice.vocalSounds.render(sound, { ...voice, intensity }) };
  });
  let times: readonly WordTime[] | undefined = spliceTimes(wordTimes, splices, SAMPLE_RATE_HZ);
  for await (const samples of spliceInto(runStages(windows, stages), splices)) {
    signal.throwIfAborted();
    const endsDecoding = windowsLeft === 0 && splices.length === 0;
    yield {
      samples,
      sampleRateHz: SAMPLE_RATE_HZ,
      ...(times && { wordTimes: times }),
      ...(endsDecoding && { endsDecoding }),
    };
    times = undefined;
  }
  // Speech of one window is complete before its receiver can abort it.
  signal.throwIfAborted();
}

/** The frames to decode: the model's silence at both ends is shortened. */
export function audibleRange(tokenFrames: Int32Array): Window {
  const frames = tokenFrames.reduce((sum, count) => sum + count, 0);
  return {
    from: Math.max(0, tokenFrames[0]! - LEADING_SILENCE_FRAMES),
    to: frames - Math.max(0, tokenFrames.at(-1)! - TRAILING_SILENCE_FRAMES),
  };
}

/**
 * Word times from the frames of the tokens. A word includes the frames of the space before it: a space is not
 * silent, and the onset of the word lies in its frames. Words without phonemes are omitted.
 */
export function timeWords(input: {
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
  // The first token follows the leading pad.
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
