import { Limiter } from '../../audio/dsp/limiter.ts';
import { LoudnessNormalizer } from '../../audio/dsp/loudness-normalizer.ts';
import { Resampler } from '../../audio/dsp/resampler.ts';
import { SilenceTrimmer } from '../../audio/dsp/silence.ts';
import { applyGain } from '../../audio/gain.ts';
import { type Pcm, releaseSamples } from '../../audio/pcm.ts';
import { SampleQueue } from '../../audio/sample-queue.ts';
import { pauseAfterPiece } from './piece-pause.ts';
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

/** Maximum length of a chunk of silence. A longer pause is several chunks. */
const SILENCE_CHUNK_SECONDS = 1;

/** Silence retained before the onset of a piece; it protects soft onsets. */
const LEADING_SECONDS = 0.03;
/** Silence around a pause at the level at which it was measured, which is above that of the trimmer. */
const FADING_SECONDS = 0.01;
/** Minimum silence after a piece, before the silence at the onset of the next one. */
const TRAILING_MIN_SECONDS = 0.02;

/** Additional pause at a change of speaker, at speed 1. */
const TURN_PAUSE_SECONDS = 0.12;

/**
 * Joins the audio of pieces into one stream: pauses by boundary, one sample rate, one level. The first piece
 * determines the sample rate, and its voice the reference level of the others. The samples are valid until the next ones
 * are read.
 */
export async function* joinPieces(
  events: AsyncGenerator<PieceEvent>,
  options: JoinOptions,
): AsyncGenerator<Pcm> {
  let joiner: PieceJoiner | undefined;
  for await (const event of events) {
    if (event.kind === 'audio') joiner ??= new PieceJoiner(event, options);
    for (const audio of joiner?.add(event) ?? []) {
      if (audio.samples.length > 0) yield audio;
      releaseSamples(audio);
    }
  }
  const rest = joiner?.finish();
  if (rest && rest.samples.length > 0) yield rest;
}

type AudioEvent = PieceEvent & { readonly kind: 'audio' };
type EndEvent = PieceEvent & { readonly kind: 'end' };

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

  *add(event: PieceEvent): Generator<Pcm> {
    const isMeasured = isLoudnessMeasured(event);
    const sampleRateHz = this.#sampleRateHz;
    const chunks = event.kind === 'audio' ? this.#addAudio(event) : this.#endPiece(event);
    for (const chunk of chunks) {
      yield { samples: this.#levelStage.process(chunk, { isMeasured }), sampleRateHz };
    }
  }

  finish(): Pcm {
    return { samples: this.#levelStage.flush(), sampleRateHz: this.#sampleRateHz };
  }

  *#addAudio(event: AudioEvent): Generator<Float32Array> {
    const ready = new SampleQueue();
    let open = this.#open;
    if (open === undefined) {
      const pauseSamples = this.#leadingPauseSamples(event);
      open = this.#begin(event, pauseSamples);
      const { chunks, remainder } = divideSilence(pauseSamples, this.#sampleRateHz);
      for (const chunk of chunks) {
        this.#joined += chunk.length;
        yield chunk;
      }
      ready.push(remainder);
    }
    const { part } = event;
    const { trimmer, resampler, gainDb, from } = open;
    const samples = resampler ? resampler.process(part.samples) : part.samples;
    ready.push(trimmer.process(gainDb === 0 ? samples : applyGain(samples, gainDb)));
    const isFirstAudible = this.#joined <= from;
    this.#joined += ready.length;
    if (part.wordTimes) this.#options.timeline?.addTimes(part.wordTimes);
    if (this.#joined > from && (isFirstAudible || part.wordTimes)) this.#report(open);
    yield ready.takeAll();
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

  #leadingPauseSamples({ piece }: AudioEvent): number {
    const { leadingPauseSeconds = 0 } = piece.acting ?? {};
    const isSpeakerChange = piece.speaker !== this.#speaker;
    this.#speaker = piece.speaker;
    const turnSeconds = isSpeakerChange ? TURN_PAUSE_SECONDS / this.#options.speed : 0;
    return Math.round((leadingPauseSeconds + turnSeconds) * this.#sampleRateHz);
  }

  *#endPiece({ piece, plan, following }: EndEvent): Generator<Float32Array> {
    if (this.#open === undefined) return;
    const { trimmer, resampler, gainDb } = this.#open;
    const ready = new SampleQueue();
    const tail = resampler?.flush();
    if (tail) ready.push(trimmer.process(applyGain(tail, gainDb)));
    const { trailingPauseSeconds = 0 } = piece.acting ?? {};
    const betweenSeconds = pauseAfterPiece(piece, plan, following?.words) / this.#options.speed;
    const quietSeconds = trimmer.quietTailSamples / this.#sampleRateHz;
    const silenceSeconds = betweenSeconds - quietSeconds - LEADING_SECONDS - FADING_SECONDS;
    const pauseSeconds = Math.max(TRAILING_MIN_SECONDS, silenceSeconds) + trailingPauseSeconds;
    const firstSeconds = Math.min(pauseSeconds, SILENCE_CHUNK_SECONDS);
    ready.push(trimmer.finish(firstSeconds));
    const restSamples =
      Math.round(pauseSeconds * this.#sampleRateHz) - Math.round(firstSeconds * this.#sampleRateHz);
    this.#joined += ready.length + restSamples;
    this.#report(this.#open, pauseSeconds);
    this.#open = undefined;
    yield ready.takeAll();
    const { chunks, remainder } = divideSilence(restSamples, this.#sampleRateHz);
    yield* chunks;
    yield remainder;
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

/** Speech that is levelled in the engine is not measured again, and acted speech has the level of its cues. */
function isLoudnessMeasured({ piece, plan }: PieceEvent): boolean {
  return plan.isLoudnessTypical === true && piece.acting?.utterance.deliveries === undefined;
}

/** Divides silence into chunks, lazily, and a shorter remainder. */
function divideSilence(
  samples: number,
  sampleRateHz: number,
): { chunks: Iterable<Float32Array>; remainder: Float32Array } {
  const chunkSamples = Math.round(SILENCE_CHUNK_SECONDS * sampleRateHz);
  const count = Math.floor(samples / chunkSamples);
  function* chunks(): Generator<Float32Array> {
    for (let index = 0; index < count; index++) yield new Float32Array(chunkSamples);
  }
  return { chunks: chunks(), remainder: new Float32Array(samples - count * chunkSamples) };
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
