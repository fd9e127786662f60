import { Limiter } from '../../audio/dsp/limiter.ts';
import { LoudnessNormalizer } from '../../audio/dsp/loudness-normalizer.ts';
import { Resampler } from '../../audio/dsp/resampler.ts';
import { createSilence, SilenceTrimmer } from '../../audio/dsp/silence.ts';
import { applyGain } from '../../audio/gain.ts';
import type { Pcm } from '../../audio/pcm.ts';
import { SampleQueue } from '../../audio/sample-queue.ts';
import type { Boundary } from '../../text/piece.ts';
import type { ActedPiece } from './acting/cue-scope.ts';
import type { PieceEvent } from './piece-synthesizer.ts';
import type { Timeline } from './timing/timeline.ts';

/** How the audio of the pieces is joined. */
export interface JoinOptions {
  /** Divides the pauses. */
  readonly speed: number;
  readonly volumeDb: number;
  /** Loudness normalization; undefined: off. */
  readonly loudness: { readonly targetLufs: number } | undefined;
  /** Receives the word times, if they are requested. */
  readonly timeline?: Timeline | undefined;
}

/** Silence retained before the onset of a piece; it protects soft onsets. */
const LEADING_SECONDS = 0.03;

/** Pause after a piece by its boundary, at speed 1. */
const PAUSE_SECONDS: Readonly<Record<Boundary, number>> = {
  phrase: 0.04,
  clause: 0.18,
  sentence: 0.38,
  paragraph: 0.7,
  end: 0.1,
};
/** Additional pause at a change of speaker, at speed 1. */
const TURN_PAUSE_SECONDS = 0.12;

/**
 * Joins the audio of pieces into one stream: pauses by boundary, one sample rate, one level. The first piece
 * determines the sample rate, and its voice the reference level of the others.
 */
export async function* joinPieces(
  events: AsyncGenerator<PieceEvent>,
  options: JoinOptions,
): AsyncGenerator<Pcm> {
  let joiner: PieceJoiner | undefined;
  for await (const event of events) {
    if (event.kind === 'audio') joiner ??= new PieceJoiner(event, options);
    const audio = joiner?.add(event);
    if (audio && audio.samples.length > 0) yield audio;
  }
  const rest = joiner?.finish();
  if (rest && rest.samples.length > 0) yield rest;
}

type AudioEvent = PieceEvent & { readonly kind: 'audio' };

/** The piece whose audio is being joined. */
interface OpenPiece {
  readonly trimmer: SilenceTrimmer;
  /** Set if the engine has another sample rate than the output. */
  readonly resampler: Resampler | undefined;
  readonly gainDb: number;
  /** Offset of the piece in the output, in samples. */
  readonly from: number;
}

class PieceJoiner {
  readonly #options: JoinOptions;
  readonly #sampleRateHz: number;
  readonly #voiceLufs: number;
  readonly #levelStage: LevelStage;
  /** Samples joined so far. The level stage does not change their number. */
  #joined = 0;
  #open: OpenPiece | undefined;
  #speaker: number | undefined;

  constructor({ part, piece, plan }: AudioEvent, options: JoinOptions) {
    this.#options = options;
    this.#sampleRateHz = part.sampleRateHz;
    this.#voiceLufs = plan.voiceLufs;
    this.#levelStage = createLevelStage(part.sampleRateHz, plan.voiceLufs, options);
    this.#speaker = piece.speaker;
  }

  add(event: PieceEvent): Pcm {
    const joined = event.kind === 'audio' ? this.#addAudio(event) : this.#endPiece(event.piece);
    const isMeasured = event.piece.acting?.utterance.deliveries === undefined;
    return { samples: this.#levelStage.process(joined, { isMeasured }), sampleRateHz: this.#sampleRateHz };
  }

  finish(): Pcm {
    return { samples: this.#levelStage.flush(), sampleRateHz: this.#sampleRateHz };
  }

  #addAudio(event: AudioEvent): Float32Array {
    const ready = new SampleQueue();
    let open = this.#open;
    if (open === undefined) {
      ready.push(this.#leadingPause(event));
      open = this.#begin(event, ready.length);
    }
    const { part } = event;
    const { trimmer, resampler, gainDb, from } = open;
    const samples = resampler ? resampler.process(part.samples) : part.samples;
    ready.push(trimmer.process(gainDb === 0 ? samples : applyGain(samples, gainDb)));
    const isFirstAudible = this.#joined <= from;
    this.#joined += ready.length;
    if (part.wordTimes) this.#options.timeline?.addTimes(part.wordTimes);
    if (this.#joined > from && (isFirstAudible || part.wordTimes)) this.#report(open);
    return ready.takeAll();
  }

  #begin(event: AudioEvent, pauseSamples: number): OpenPiece {
    const { plan, part } = event;
    const toHz = this.#sampleRateHz;
    const isNormalized = this.#options.loudness !== undefined;
    const open: OpenPiece = {
      trimmer: new SilenceTrimmer({ sampleRateHz: toHz, keepLeadingSeconds: LEADING_SECONDS }),
      resampler: part.sampleRateHz === toHz ? undefined : new Resampler({ fromHz: part.sampleRateHz, toHz }),
      gainDb: isNormalized ? this.#voiceLufs - plan.voiceLufs : 0,
      from: this.#joined + pauseSamples,
    };
    this.#open = open;
    this.#options.timeline?.begin(event, open.from / toHz);
    return open;
  }

  #leadingPause({ piece }: AudioEvent): Float32Array {
    const { leadingPauseSeconds = 0 } = piece.acting ?? {};
    const isSpeakerChange = piece.speaker !== this.#speaker;
    this.#speaker = piece.speaker;
    const turnSeconds = isSpeakerChange ? TURN_PAUSE_SECONDS / this.#options.speed : 0;
    return createSilence(leadingPauseSeconds + turnSeconds, this.#sampleRateHz);
  }

  #endPiece({ boundary, acting }: ActedPiece): Float32Array {
    if (this.#open === undefined) return new Float32Array(0);
    const { trimmer, resampler, gainDb } = this.#open;
    const ready = new SampleQueue();
    const tail = resampler?.flush();
    if (tail) ready.push(trimmer.process(applyGain(tail, gainDb)));
    const { trailingPauseSeconds = 0 } = acting ?? {};
    const pauseSeconds = PAUSE_SECONDS[boundary] / this.#options.speed + trailingPauseSeconds;
    ready.push(trimmer.finish(pauseSeconds));
    this.#joined += ready.length;
    this.#report(this.#open, pauseSeconds);
    this.#open = undefined;
    return ready.takeAll();
  }

  /** Reports the progress to the timeline. `pauseSeconds` is set at the end of a piece. */
  #report({ trimmer, from }: OpenPiece, pauseSeconds?: number): void {
    const durationSeconds = (this.#joined - from) / this.#sampleRateHz;
    this.#options.timeline?.report({
      trimmedSeconds: trimmer.trimmedLeadingSamples / this.#sampleRateHz,
      speechStartSeconds: trimmer.keptLeadingSamples / this.#sampleRateHz,
      durationSeconds,
      speechEndSeconds: pauseSeconds === undefined ? undefined : durationSeconds - pauseSeconds,
    });
  }
}

interface LevelStage {
  process(samples: Float32Array, options?: { readonly isMeasured: boolean }): Float32Array;
  flush(): Float32Array;
}

function createLevelStage(
  sampleRateHz: number,
  voiceLufs: number,
  { loudness, volumeDb }: JoinOptions,
): LevelStage {
  if (loudness !== undefined) {
    const { targetLufs } = loudness;
    // A fixed gain per voice does most of the normalization; the adaptive gain varies little.
    const voiceGainDb = targetLufs - voiceLufs;
    return new LoudnessNormalizer({ sampleRateHz, targetLufs, voiceGainDb, volumeDb });
  }
  const limiter = new Limiter({ sampleRateHz });
  return {
    process: (samples) => limiter.process(applyGain(samples, volumeDb)),
    flush: () => limiter.flush(),
  };
}
