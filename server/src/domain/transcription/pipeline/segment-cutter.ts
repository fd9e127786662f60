import { joinSamples } from '../../../audio/pcm.ts';
import { ASR_SAMPLE_RATE_HZ, type TimeRange, VAD_FRAME_SAMPLES } from '../../engines/asr-engine.ts';

/** Rules for the end of a segment, in seconds. */
export interface SegmentationRules {
  /** Maximum length: the limit of the engine. */
  readonly maxSeconds: number;
  /** Length from which a short pause ends a segment. */
  readonly targetSeconds: number;
  /** The pause that ends a segment, by the length of the segment: below 2 s, below the target, above it. */
  readonly pauses: { readonly early: number; readonly usual: number; readonly late: number };
}

/** A segment of speech with padding on both sides. */
export interface SpeechSegment {
  readonly samples: Float32Array;
  /** Time of the first sample. */
  readonly startSeconds: number;
  /** Duration of the frames that contain speech; 0 for a click. */
  readonly speechSeconds: number;
  /** End of the last speech frame, from the start of the recording. */
  readonly lastSpeechSeconds: number;
  /** Centres of the pauses within the segment, from the start of the recording. */
  readonly pausesSeconds: readonly number[];
  /** Words outside these bounds belong to the neighbouring segment: a cut within speech has overlapping segments. */
  readonly ownFromSeconds: number;
  readonly ownToSeconds: number;
}

/** The samples of a range, in seconds from the start of the recording. */
export function audioOf({ startSeconds, endSeconds }: TimeRange, speech: SpeechSegment): Float32Array {
  const at = (seconds: number) => Math.round((seconds - speech.startSeconds) * ASR_SAMPLE_RATE_HZ);
  return speech.samples.subarray(Math.max(0, at(startSeconds)), at(endSeconds));
}

const FRAME_SECONDS = VAD_FRAME_SAMPLES / ASR_SAMPLE_RATE_HZ;
const SPEECH_START_PROBABILITY = 0.5;
const SPEECH_CONTINUE_PROBABILITY = 0.35;
/** Padding on both sides of speech. Without it engines lose the first and last phonemes. */
const PADDING_FRAMES = Math.round(0.5 / FRAME_SECONDS);
/** Minimum silence after the last word of a recording. */
const TRAILING_SILENCE_SECONDS_MIN = 0.2;
/** Minimum pause within a segment at which the speaker may change. */
const PAUSE_MIN_FRAMES = Math.round(0.22 / FRAME_SECONDS);
/** Overlap on each side of a cut within speech. */
const OVERLAP_FRAMES = Math.round(0.6 / FRAME_SECONDS);
/** The search for a cut in an overlong segment starts at this fraction of its length. */
const CUT_FROM_PART = 0.4;
/** Frames on either side over which the speech probability of a cut is averaged. */
const CUT_REACH_FRAMES = 2;
/** Fewer speech frames than this are a click. */
const SPEECH_MIN_FRAMES = 4;
const EARLY_SECONDS = 2;
/** Part of the ending pause after which the end of the segment is likely. */
const LIKELY_END_PART = 0.5;
/** Least silence after the last word of a segment that is likely to end. With less, engines lose the last phonemes. */
const LIKELY_END_SECONDS_MIN = 0.2;

/**
 * Splits an audio stream into segments of speech at pauses. An overlong segment is cut where speech is least
 * likely; if that position is within speech, both segments include the audio around the cut. Buffers at most
 * one segment.
 */
export class SegmentCutter {
  readonly #rules: SegmentationRules;
  #samples: Float32Array = new Float32Array(0);
  #sampleCount = 0;
  #probabilities: number[] = [];
  /** Position of the first buffered frame. */
  #baseFrame = 0;
  /** Start and last speech frame of the open segment, relative to the base. */
  #open: { start: number; lastSpeech: number; ownFrom: number } | undefined;
  /** The next segment starts at this frame or later. */
  #doneFrame = 0;

  constructor(rules: SegmentationRules, startSeconds = 0) {
    this.#rules = rules;
    this.#baseFrame = Math.round(startSeconds / FRAME_SECONDS);
  }

  /** All audio before this position is part of a completed segment or contains no speech. */
  get settledSeconds(): number {
    const frame = this.#open?.start ?? this.#probabilities.length;
    return (this.#baseFrame + frame) * FRAME_SECONDS;
  }

  /** Adds samples and the speech probability of each frame that they complete. Returns completed segments. */
  push(samples: Float32Array, probabilities: Float32Array): SpeechSegment[] {
    this.#append(samples);
    const done: SpeechSegment[] = [];
    for (const probability of probabilities) {
      const segment = this.#step(probability);
      if (segment !== undefined) done.push(segment);
    }
    this.#discardProcessed();
    return done;
  }

  /**
   * Ends the open segment at the end of the input or on request. Appends silence if it ends directly after a word,
   * since engines misrecognize audio that ends within a phoneme.
   */
  flush(): SpeechSegment | undefined {
    const segment = this.#end();
    if (segment === undefined) return undefined;
    // Samples of an incomplete frame may contain the end of the last word.
    const reachesEnd = this.#doneFrame >= this.#probabilities.length;
    const completeSamples = this.#probabilities.length * VAD_FRAME_SAMPLES;
    const rest = reachesEnd
      ? this.#samples.subarray(completeSamples, this.#sampleCount)
      : new Float32Array(0);
    const seconds = (segment.samples.length + rest.length) / ASR_SAMPLE_RATE_HZ;
    const wantedSeconds = segment.lastSpeechSeconds - segment.startSeconds + TRAILING_SILENCE_SECONDS_MIN;
    const missingSeconds = Math.max(0, Math.min(wantedSeconds, this.#rules.maxSeconds) - seconds);
    const silence = new Float32Array(Math.round(missingSeconds * ASR_SAMPLE_RATE_HZ));
    return { ...segment, samples: joinSamples([segment.samples, rest, silence]) };
  }

  /** The open segment so far. */
  peek(): SpeechSegment | undefined {
    if (this.#open === undefined) return undefined;
    return this.#take(
      this.#open.start,
      this.#probabilities.length,
      this.#open.ownFrom,
      Number.POSITIVE_INFINITY,
    );
  }

  /** Silence since the last speech of the open segment. */
  get pauseSeconds(): number {
    if (this.#open === undefined) return 0;
    return (this.#probabilities.length - 1 - this.#open.lastSpeech) * FRAME_SECONDS;
  }

  /** The open segment as it ends if no more speech follows; undefined unless a part of the ending pause has passed. */
  peekLikelyEnd(): SpeechSegment | undefined {
    const open = this.#open;
    if (open === undefined) return undefined;
    const length = this.#probabilities.length;
    const endingPause = this.#endingPause((length - open.start) * FRAME_SECONDS);
    if (this.pauseSeconds < Math.max(LIKELY_END_SECONDS_MIN, LIKELY_END_PART * endingPause)) return undefined;
    const end = Math.min(length, open.lastSpeech + 1 + PADDING_FRAMES);
    return this.#take(open.start, end, open.ownFrom, Number.POSITIVE_INFINITY);
  }

  #step(probability: number): SpeechSegment | undefined {
    const frame = this.#probabilities.push(probability) - 1;
    const open = this.#open;
    if (open === undefined) {
      if (probability >= SPEECH_START_PROBABILITY) {
        const start = Math.max(this.#doneFrame, frame - PADDING_FRAMES, 0);
        this.#open = { start, lastSpeech: frame, ownFrom: Number.NEGATIVE_INFINITY };
      }
      return undefined;
    }
    if (probability >= SPEECH_CONTINUE_PROBABILITY) open.lastSpeech = frame;
    const seconds = (frame + 1 - open.start) * FRAME_SECONDS;
    if ((frame - open.lastSpeech) * FRAME_SECONDS >= this.#endingPause(seconds)) return this.#end();
    return seconds >= this.#rules.maxSeconds ? this.#cut(open) : undefined;
  }

  #end(): SpeechSegment | undefined {
    const open = this.#open;
    if (open === undefined) return undefined;
    this.#open = undefined;
    const end = Math.min(this.#probabilities.length, open.lastSpeech + 1 + PADDING_FRAMES);
    this.#doneFrame = end;
    return this.#take(open.start, end, open.ownFrom, Number.POSITIVE_INFINITY);
  }

  #endingPause(seconds: number): number {
    const { pauses, targetSeconds } = this.#rules;
    if (seconds >= targetSeconds) return pauses.late;
    return seconds >= EARLY_SECONDS ? pauses.usual : pauses.early;
  }

  /** Cuts an overlong segment; its second part becomes the open segment. */
  #cut(open: { start: number; ownFrom: number; lastSpeech: number }): SpeechSegment {
    const length = this.#probabilities.length;
    const { frame, probability } = this.#leastLikelySpeechFrame(
      open.start + Math.ceil((length - open.start) * CUT_FROM_PART),
      length - OVERLAP_FRAMES,
    );
    const isInSpeech = probability >= SPEECH_CONTINUE_PROBABILITY;
    const overlap = isInSpeech ? OVERLAP_FRAMES : 0;
    const cutSeconds = (this.#baseFrame + frame) * FRAME_SECONDS;
    const cut = this.#take(
      open.start,
      frame + overlap,
      open.ownFrom,
      isInSpeech ? cutSeconds : Number.POSITIVE_INFINITY,
    );
    this.#open = {
      start: frame - overlap,
      lastSpeech: open.lastSpeech,
      ownFrom: isInSpeech ? cutSeconds : Number.NEGATIVE_INFINITY,
    };
    return cut;
  }

  #leastLikelySpeechFrame(from: number, to: number): { frame: number; probability: number } {
    let best = { frame: to, probability: Number.POSITIVE_INFINITY };
    for (let frame = from; frame <= to; frame++) {
      const around = this.#probabilities.slice(frame - CUT_REACH_FRAMES, frame + CUT_REACH_FRAMES + 1);
      const probability = around.reduce((sum, value) => sum + value, 0) / around.length;
      // The last of equal positions: engines are more accurate on longer segments.
      if (probability <= best.probability) best = { frame, probability };
    }
    return best;
  }

  #take(start: number, end: number, ownFromSeconds: number, ownToSeconds: number): SpeechSegment {
    const probabilities = this.#probabilities.slice(start, end);
    const speechFrames = probabilities.filter(
      (probability) => probability >= SPEECH_START_PROBABILITY,
    ).length;
    const last = probabilities.findLastIndex((probability) => probability >= SPEECH_CONTINUE_PROBABILITY);
    const firstSample = start * VAD_FRAME_SAMPLES;
    const lastSample = Math.min(end * VAD_FRAME_SAMPLES, this.#sampleCount);
    return {
      samples: this.#samples.slice(firstSample, lastSample),
      startSeconds: (this.#baseFrame + start) * FRAME_SECONDS,
      speechSeconds: speechFrames < SPEECH_MIN_FRAMES ? 0 : speechFrames * FRAME_SECONDS,
      lastSpeechSeconds: (this.#baseFrame + start + last + 1) * FRAME_SECONDS,
      pausesSeconds: pausesOf(probabilities).map(
        (frame) => (this.#baseFrame + start + frame) * FRAME_SECONDS,
      ),
      ownFromSeconds,
      ownToSeconds,
    };
  }

  #append(samples: Float32Array): void {
    if (this.#sampleCount + samples.length > this.#samples.length) {
      const grown = new Float32Array(2 * (this.#sampleCount + samples.length));
      grown.set(this.#samples.subarray(0, this.#sampleCount));
      this.#samples = grown;
    }
    this.#samples.set(samples, this.#sampleCount);
    this.#sampleCount += samples.length;
  }

  /** Discards audio that no later segment needs. */
  #discardProcessed(): void {
    const needed = this.#open?.start ?? this.#probabilities.length - PADDING_FRAMES;
    const frames = Math.max(0, needed);
    if (frames === 0) return;
    this.#samples.copyWithin(0, frames * VAD_FRAME_SAMPLES, this.#sampleCount);
    this.#sampleCount -= frames * VAD_FRAME_SAMPLES;
    this.#probabilities.splice(0, frames);
    this.#baseFrame += frames;
    this.#doneFrame = Math.max(0, this.#doneFrame - frames);
    if (this.#open !== undefined) {
      this.#open.start -= frames;
      this.#open.lastSpeech -= frames;
    }
  }
}

/** Centres of the pauses, in frames, without those at the start and at the end. */
function pausesOf(probabilities: readonly number[]): number[] {
  const middles: number[] = [];
  let lastSpeech: number | undefined;
  for (const [frame, probability] of probabilities.entries()) {
    if (probability < SPEECH_CONTINUE_PROBABILITY) continue;
    const isAfterPause = lastSpeech !== undefined && frame - lastSpeech > PAUSE_MIN_FRAMES;
    if (isAfterPause) middles.push((lastSpeech! + 1 + frame) / 2);
    lastSpeech = frame;
  }
  return middles;
}
