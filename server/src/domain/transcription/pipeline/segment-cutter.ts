import { joinSamples } from '../../../audio/pcm.ts';
import { ASR_SAMPLE_RATE_HZ, VAD_FRAME_SAMPLES } from '../../engines/asr-engine.ts';

/** When a stretch of speech ends, in seconds. */
export interface CuttingRules {
  /** No stretch is longer: it is as much as the engine takes. */
  readonly maxSeconds: number;
  /** From this length on a short pause ends a stretch. */
  readonly targetSeconds: number;
  /** The pause that ends a stretch, by its length: below two seconds, below the target, beyond it. */
  readonly pauses: { readonly early: number; readonly usual: number; readonly late: number };
}

/** Speech between two cuts, with a little silence around it. */
export interface SpeechSegment {
  readonly samples: Float32Array;
  /** Time of the first sample. */
  readonly startSeconds: number;
  /** Seconds in which somebody was heard to speak. */
  readonly speechSeconds: number;
  /** The last moment somebody was heard, from the start of the recording. */
  readonly lastSpeechSeconds: number;
  /** The middles of the pauses within, from the start of the recording. */
  readonly pausesSeconds: readonly number[];
  /** Words outside of these belong to a neighbour: the cut went through speech, and both sides heard it. */
  readonly ownFromSeconds: number;
  readonly ownToSeconds: number;
}

const FRAME_SECONDS = VAD_FRAME_SAMPLES / ASR_SAMPLE_RATE_HZ;
const SPEECH_BEGINS = 0.5;
const SPEECH_GOES_ON = 0.35;
/** Sound kept on both sides of speech. Engines lose first and last sounds without it. */
const PADDING_FRAMES = Math.round(0.5 / FRAME_SECONDS);
/** The least there is behind the last word of a recording. */
const QUIET_SECONDS_MIN = 0.2;
/** A pause within a stretch, at which somebody else may have begun to speak. */
const PAUSE_MIN_FRAMES = Math.round(0.22 / FRAME_SECONDS);
/** What both sides of a cut through speech hear. */
const OVERLAP_FRAMES = Math.round(0.6 / FRAME_SECONDS);
/** A cut is looked for behind this part of a stretch that is too long. */
const CUT_FROM_PART = 0.4;
/** The likelihood of speech around a place is the mean of so many frames on either side. */
const CUT_REACH_FRAMES = 2;
/** Less speech than this is a click. */
const SPEECH_MIN_FRAMES = 4;
const EARLY_SECONDS = 2;

/**
 * Cuts a stream of sound into stretches of speech, at pauses. A stretch that gets too long is cut where speech is
 * least likely; where that is still in the middle of speech, both sides hear what is around the cut. Holds no
 * more sound than one stretch.
 */
export class SegmentCutter {
  readonly #rules: CuttingRules;
  #samples: Float32Array = new Float32Array(0);
  #sampleCount = 0;
  #probabilities: number[] = [];
  /** Position of the first frame that is held. */
  #baseFrame = 0;
  /** Where the open stretch begins, and where in it speech was heard last; relative to the base. */
  #open: { start: number; lastSpeech: number; ownFrom: number } | undefined;
  /** Nothing before this is part of the next stretch. */
  #doneFrame = 0;

  constructor(rules: CuttingRules, startSeconds = 0) {
    this.#rules = rules;
    this.#baseFrame = Math.round(startSeconds / FRAME_SECONDS);
  }

  /** Everything before this has been cut off or held no speech. */
  get settledSeconds(): number {
    const frame = this.#open?.start ?? this.#probabilities.length;
    return (this.#baseFrame + frame) * FRAME_SECONDS;
  }

  /** Takes the next samples, and the likelihood of speech for each frame they complete. */
  push(samples: Float32Array, probabilities: Float32Array): SpeechSegment[] {
    this.#append(samples);
    const done: SpeechSegment[] = [];
    for (const probability of probabilities) {
      const stretch = this.#step(probability);
      if (stretch !== undefined) done.push(stretch);
    }
    this.#forget();
    return done;
  }

  /**
   * Ends the open stretch: the recording is over, or its speaker wants the text now. Where that is right behind a word,
   * silence is added: engines mishear what ends in the middle of a sound.
   */
  flush(): SpeechSegment | undefined {
    const stretch = this.#end();
    if (stretch === undefined) return undefined;
    // Samples that fill no frame may hold the end of the last word.
    const isToTheEnd = this.#doneFrame >= this.#probabilities.length;
    const ragged = this.#probabilities.length * VAD_FRAME_SAMPLES;
    const rest = isToTheEnd ? this.#samples.subarray(ragged, this.#sampleCount) : new Float32Array(0);
    const seconds = (stretch.samples.length + rest.length) / ASR_SAMPLE_RATE_HZ;
    const wantedSeconds = stretch.lastSpeechSeconds - stretch.startSeconds + QUIET_SECONDS_MIN;
    const missingSeconds = Math.max(0, Math.min(wantedSeconds, this.#rules.maxSeconds) - seconds);
    const quiet = new Float32Array(Math.round(missingSeconds * ASR_SAMPLE_RATE_HZ));
    return { ...stretch, samples: joinSamples([stretch.samples, rest, quiet]) };
  }

  /** The stretch that goes on, as far as it was heard. */
  peek(): SpeechSegment | undefined {
    if (this.#open === undefined) return undefined;
    return this.#take(
      this.#open.start,
      this.#probabilities.length,
      this.#open.ownFrom,
      Number.POSITIVE_INFINITY,
    );
  }

  #step(probability: number): SpeechSegment | undefined {
    const frame = this.#probabilities.push(probability) - 1;
    const open = this.#open;
    if (open === undefined) {
      if (probability >= SPEECH_BEGINS) {
        const start = Math.max(this.#doneFrame, frame - PADDING_FRAMES, 0);
        this.#open = { start, lastSpeech: frame, ownFrom: Number.NEGATIVE_INFINITY };
      }
      return undefined;
    }
    if (probability >= SPEECH_GOES_ON) open.lastSpeech = frame;
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

  /** Ends the first part of a stretch that is too long; the rest goes on. */
  #cut(open: { start: number; ownFrom: number; lastSpeech: number }): SpeechSegment {
    const length = this.#probabilities.length;
    const { frame, probability } = this.#quietestFrame(
      open.start + Math.ceil((length - open.start) * CUT_FROM_PART),
      length - OVERLAP_FRAMES,
    );
    const isInSpeech = probability >= SPEECH_GOES_ON;
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

  #quietestFrame(from: number, to: number): { frame: number; probability: number } {
    let best = { frame: to, probability: Number.POSITIVE_INFINITY };
    for (let frame = from; frame <= to; frame++) {
      const around = this.#probabilities.slice(frame - CUT_REACH_FRAMES, frame + CUT_REACH_FRAMES + 1);
      const probability = around.reduce((sum, value) => sum + value, 0) / around.length;
      // Of equal places the last: the longer a stretch, the more an engine makes of it.
      if (probability <= best.probability) best = { frame, probability };
    }
    return best;
  }

  #take(start: number, end: number, ownFromSeconds: number, ownToSeconds: number): SpeechSegment {
    const probabilities = this.#probabilities.slice(start, end);
    const speechFrames = probabilities.filter((probability) => probability >= SPEECH_BEGINS).length;
    const last = probabilities.findLastIndex((probability) => probability >= SPEECH_GOES_ON);
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

  /** Drops what no stretch can need any more. */
  #forget(): void {
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

/** The middles of stretches in which nobody speaks, in frames; not those at the beginning and at the end. */
function pausesOf(probabilities: readonly number[]): number[] {
  const middles: number[] = [];
  let lastSpeech: number | undefined;
  for (const [frame, probability] of probabilities.entries()) {
    if (probability < SPEECH_GOES_ON) continue;
    const isAfterPause = lastSpeech !== undefined && frame - lastSpeech > PAUSE_MIN_FRAMES;
    if (isAfterPause) middles.push((lastSpeech! + 1 + frame) / 2);
    lastSpeech = frame;
  }
  return middles;
}
