import { Resampler } from '../../../../audio/dsp/resampler.ts';
import { joinSamples } from '../../../../audio/pcm.ts';
import type { TtsEngineContext } from '../../../../domain/engines/tts-engine.ts';
import type {
  HeardRecording,
  RecordedPart,
  SearchTarget,
  TranscribedSpeech,
  VoiceSearch,
} from '../../../../domain/engines/voice-search.ts';
import { SENTENCE_READING } from '../../../../text/front-end/sentence-reading.ts';
import type { Language } from '../../../../text/piece.ts';
import { floatOutput } from '../../onnx/float-output.ts';
import { type InferenceSession, Tensor } from '../../onnx/onnxruntime.ts';
import { openSession } from '../../onnx/session.ts';
import { MEASURES } from '../../voice-encoder/measures.ts';
import type { OnnxVoiceEncoder } from '../../voice-encoder/voice-encoder.ts';
import { limitPitchRange } from '../../voice-encoder/voice-traits.ts';
import { ARTICULATED_LANGUAGES, readArticulation } from '../clone-vectors/articulated-languages.ts';
import {
  type CloneVector,
  DECODER_VOICE_SIZE,
  movePitch,
  prosodyVoiceFor,
  readCloneVector,
  writeCloneVector,
} from '../clone-vectors/clone-vector.ts';
import { initialWeightChanges, weightChangesWith } from '../clone-vectors/weight-changes.ts';
import { SmallDecoder } from '../decoders/small-decoder.ts';
import { alignTextRows, type Features, SAMPLE_RATE_HZ, SAMPLES_PER_FRAME } from '../networks/features.ts';
import { Adam } from './adam.ts';
import { backgroundSpectrum } from './background-noise.ts';
import { loudWindows } from './loud-windows.ts';
import { recordedParts } from './recorded-parts.ts';
import { SearchSentences, type SpokenSentence } from './search-sentences.ts';
import { SearchThreads } from './search-threads.ts';
import { findEcapaFile, readSpeakerNetworks } from './speaker-networks.ts';
import { type ProsodyText, textFeatures } from './text-features.ts';
import { TrialArticulation } from './trial-articulation.ts';
import { makeTrials, TRIAL_FRAMES, TRIAL_RMS, TRIAL_SAMPLES, type TrialSentence } from './trials.ts';

/** Changes of a value of the voice vector and of a weight change per unit of the search. */
const VOICE_STEP = 0.1;
const WEIGHT_STEP = 0.05;
/** Share of the weight changes found by a descent that a voice keeps. With all of them it is less natural and not more similar. */
const WEIGHT_SHARE = 0.5;
/** The same where parts of the recording were compared. */
const PARTS_WEIGHT_SHARE = 0.75;
/** Weight of the similarity by ECAPA-TDNN in the loss. */
const EMBEDDING_WEIGHT = 5;
const EMBEDDING_SIZE = 192;
/** Stands for an unknown embedding. */
const NO_EMBEDDING = new Float32Array(EMBEDDING_SIZE);
/** Weight of the mean squared distance of the voice vector from the start, in those units. */
const ANCHOR = 0.01;
const RATE = 0.15;
/** A descent of a few steps takes larger ones. */
const FEW_STEPS = 6;
const FEW_STEPS_RATE = 0.25;
/** The rate falls to this share of it. */
const LAST_RATE = 0.05;
const PITCH_CORRECTION_MAX_OCTAVES = 0.15;
/** Upper limit of the pitch range of a clone. Nine people have 0.19 to 0.56, median 0.28; octave errors in creak widen it. */
const PITCH_RANGE_MAX_OCTAVES = 0.3;
/** Limits of a transcribed excerpt, which bound time and memory of its alignment. */
const EXCERPT_SECONDS_MAX = 15;
const EXCERPT_CHARACTERS_MAX = 600;
/** The synthetic speech of a transcript may be longer or shorter than the recording by this factor. */
const EXCERPT_RATIO_MAX = 2;

interface DescentOptions {
  readonly steps: number;
  readonly trialsAtOnce: number;
  readonly signal: AbortSignal;
  /** Runs one step when it is the search's turn. */
  readonly inTurn?: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

type SpeechMeasurer = Pick<OnnxVoiceEncoder, 'sampleRateHz'>;

interface SearchParts {
  /** Measures of a recording, and its embedding if that is known, to a voice vector and weight changes. */
  readonly estimate: InferenceSession;
  /** Gradients of the similarity of a trial, with respect to the voice vector, and what they compare of a recording. */
  readonly threads: SearchThreads;
  readonly encoder: SpeechMeasurer;
  readonly findEcapaFile: () => Promise<string | undefined>;
  readonly featuresOf: (texts: readonly ProsodyText[]) => Promise<readonly Features[]>;
  readonly openDecoder: () => Promise<SmallDecoder>;
  /** Returns the path of a file among the assets. */
  readonly asset: (name: string) => string;
}

/** The search for cloned voices of the small decoder. Its gradients are exact up to the silence in a trial. */
export class KokoroVoiceSearch implements VoiceSearch {
  readonly #parts: SearchParts;
  readonly #sentences: SearchSentences;

  private constructor(parts: SearchParts) {
    this.#parts = parts;
    this.#sentences = new SearchSentences(parts.featuresOf);
  }

  static async open(
    context: TtsEngineContext,
    openEncoder: () => Promise<SpeechMeasurer>,
  ): Promise<KokoroVoiceSearch> {
    const asset = (name: string) => context.asset(`small-decoder/${name}`);
    const networks = await readSpeakerNetworks(context);
    const threads = new SearchThreads({
      gradientModel: asset('refinement.onnx'),
      statisticsModel: asset('statistics.onnx'),
      threads: context.threads,
      constants: networks.xVectorWeights,
      ecapaWeights: networks.ecapaWeights,
    });
    // They open their model while this thread opens the other ones.
    threads.prepare();
    const [estimate, encoder] = await Promise.all([
      openSession(asset('clone-voice.onnx'), context),
      openEncoder(),
    ]);
    return new KokoroVoiceSearch({
      estimate,
      threads,
      encoder,
      findEcapaFile: () => findEcapaFile(context),
      featuresOf: (texts) => textFeatures(context, texts),
      openDecoder: () => SmallDecoder.open((name) => context.asset(name)),
      asset: (name) => context.asset(name),
    });
  }

  /** Opens what was closed while there was nothing to do. */
  prepare(): void {
    this.#parts.threads.prepare();
  }

  accepts(vector: Float32Array): boolean {
    return readCloneVector({ kind: 'vector', values: vector }) !== undefined;
  }

  targetFor(recording: Float32Array): Float32Array {
    return limitPitchRange(recording, PITCH_RANGE_MAX_OCTAVES);
  }

  async predict({ measures, embedding = NO_EMBEDDING }: SearchTarget): Promise<Float32Array> {
    const outputs = await this.#parts.estimate.run({
      measures: new Tensor('float32', measures, [1, MEASURES.count]),
      embedding: new Tensor('float32', embedding, [1, EMBEDDING_SIZE]),
    });
    const changes = weightChangesWith(floatOutput(outputs, 'changes'));
    return writeCloneVector({
      decoderVoice: joinSamples([floatOutput(outputs, 'voice'), changes]),
      medianHz: medianHzOf(measures),
      rangeOctaves: measures[MEASURES.pitchRange.from]!,
    });
  }

  async hear(speech: Float32Array): Promise<HeardRecording> {
    const { threads } = this.#parts;
    const recording = this.#atTrialRate(speech);
    const ecapaFile = await this.#parts.findEcapaFile();
    const hearing = threads.hear([...loudWindows(recording, TRIAL_SAMPLES)], { ecapaFile });
    // Computed while the thread hears.
    const background = backgroundSpectrum(recording);
    const heard = await hearing;
    return {
      statistics: meanOf(heard.map(({ statistics }) => statistics)),
      ...(ecapaFile !== undefined && {
        embedding: toUnitLength(meanOf(heard.map(({ embedding }) => embedding))),
      }),
      background,
    };
  }

  prepareDescent(measures: Float32Array, { isThorough }: { readonly isThorough: boolean }): void {
    this.#sentences.prepare(medianHzOf(measures), { isThorough });
  }

  async partsOf(
    { samples, text }: TranscribedSpeech,
    vector: Float32Array,
  ): Promise<readonly RecordedPart[]> {
    const lengthMax = EXCERPT_SECONDS_MAX * this.#parts.encoder.sampleRateHz;
    if (samples.length > lengthMax || text.length > EXCERPT_CHARACTERS_MAX) return [];
    const clone = requireCloneVector(vector);
    const { language } = SENTENCE_READING;
    const prosody = prosodyVoiceFor(language, clone.medianHz);
    const recording = this.#atTrialRate(samples);
    const [spoken] = await this.#parts.featuresOf([{ language, text, prosody }]);
    if (spoken === undefined || !isOfLength(spoken, recording)) return [];
    const features = { ...spoken, f0: movePitch(spoken.f0, prosody, clone) };
    const synthetic = { features, samples: await this.#decode(features, clone) };
    const parts = [...recordedParts(recording, synthetic, { frames: TRIAL_FRAMES, rms: TRIAL_RMS })];
    const windows = parts.map((part) => part.samples);
    const heard = await this.#parts.threads.hear(windows, { ecapaFile: undefined });
    return parts.map((part, index) => ({
      textFeatures: alignTextRows(part.features),
      pitchHz: part.features.f0,
      energy: part.features.energy,
      rms: rmsOf(part.samples),
      statistics: heard[index]!.statistics,
      logMel: heard[index]!.logMel,
    }));
  }

  async descend(
    vector: Float32Array,
    target: SearchTarget,
    { steps, trialsAtOnce, signal, inTurn = (work) => work() }: DescentOptions,
  ): Promise<Float32Array> {
    const clone = requireCloneVector(vector);
    const start = withWeightChanges(clone.decoderVoice);
    const { measures } = target;
    const trials = makeTrials(await this.#trialSentences(clone, start, target), target);
    const trialsFrom = (first: number) =>
      Array.from(
        { length: Math.min(trialsAtOnce, steps - first) },
        (_, place) => trials[(first + place) % trials.length]!,
      );
    const targets = {
      target_x_vector: measuresTensor(measures, MEASURES.xVector),
      target_d_vector: measuresTensor(measures, MEASURES.dVector),
      target_spectrum: measuresTensor(measures, MEASURES.spectrum),
      ...embeddingInputs(target.embedding),
    };
    const ecapaFile = target.embedding === undefined ? undefined : await this.#parts.findEcapaFile();
    const moved = new Float32Array(start.length);
    const voiceAt = (weightShare: number) =>
      start.map((value, index) => {
        const share = index < DECODER_VOICE_SIZE ? 1 : weightShare;
        return value + share * stepOf(index) * moved[index]!;
      });
    const optimizer = new Adam(moved.length);
    const rate = steps <= FEW_STEPS ? FEW_STEPS_RATE : RATE;
    for (let step = 0; step < steps; ) {
      signal.throwIfAborted();
      const voice = voiceAt(1);
      const current = trialsFrom(step);
      const inputs = current.map((trial) => ({
        ...targets,
        ...trial.inputs(),
        voice: voiceTensor(trial.articulation?.articulate(voice) ?? voice),
      }));
      const computed = inTurn(() => this.#parts.threads.gradients(inputs, { ecapaFile }));
      // The next trials are made while the threads compute.
      for (const trial of trialsFrom(step + inputs.length)) trial.inputs();
      for (const [place, slopes] of (await computed).entries()) {
        const ownSlopes = current[place]!.articulation?.slopesOfVoice(slopes) ?? slopes;
        const gradient = ownSlopes.map(
          (slope, index) => stepOf(index) * slope + anchorSlope(index, moved[index]!),
        );
        optimizer.step(moved, gradient, rate * (1 - (1 - LAST_RATE) * (step / steps)));
        step++;
      }
    }
    const share = target.parts.length === 0 ? WEIGHT_SHARE : PARTS_WEIGHT_SHARE;
    return writeCloneVector({ ...clone, decoderVoice: voiceAt(share) });
  }

  matchPitch(vector: Float32Array, target: Float32Array, measures: Float32Array): Float32Array {
    const clone = requireCloneVector(vector);
    const missing = target[MEASURES.pitch.from]! - measures[MEASURES.pitch.from]!;
    const octaves = Math.min(PITCH_CORRECTION_MAX_OCTAVES, Math.max(-PITCH_CORRECTION_MAX_OCTAVES, missing));
    return writeCloneVector({ ...clone, medianHz: clone.medianHz * 2 ** octaves });
  }

  async close(): Promise<void> {
    const { estimate, threads } = this.#parts;
    await Promise.all([estimate.release(), threads.close()]);
  }

  /** The sentences of a descent, with the articulation of the languages that need one. */
  async #trialSentences(
    clone: CloneVector,
    start: Float32Array,
    { isThorough }: SearchTarget,
  ): Promise<readonly TrialSentence[]> {
    const spoken = await this.#sentences.spokenBy(clone, { isThorough });
    const articulations = await this.#articulationsOf(start, spoken);
    return spoken.map(({ language, features }) => ({ features, articulation: articulations.get(language) }));
  }

  async #articulationsOf(
    start: Float32Array,
    spoken: readonly SpokenSentence[],
  ): Promise<ReadonlyMap<Language, TrialArticulation>> {
    // The first sentence of each language is the one on which the start is adapted.
    const carriers = new Map(spoken.toReversed().map(({ language, features }) => [language, features]));
    const articulations = new Map<Language, TrialArticulation>();
    for (const [language, features] of carriers) {
      const articulated = ARTICULATED_LANGUAGES[language];
      if (articulated === undefined) continue;
      const native = await readArticulation(articulated, this.#parts.asset);
      const first = await this.#withDecoder((decoder) => decoder.articulate(start, native, features));
      articulations.set(language, new TrialArticulation(start, first, native));
    }
    return articulations;
  }

  #atTrialRate(speech: Float32Array): Float32Array {
    const resampler = new Resampler({ fromHz: this.#parts.encoder.sampleRateHz, toHz: SAMPLE_RATE_HZ });
    return atTrialLevel(joinSamples([resampler.process(speech), resampler.flush()]));
  }

  #decode(features: Features, { decoderVoice }: CloneVector): Promise<Float32Array> {
    const style = new Float32Array(0);
    return this.#withDecoder((decoder) =>
      decoder.begin({ features, style, decoderVoice, seed: 0 }).decode(0, features.frames),
    );
  }

  async #withDecoder<Result>(work: (decoder: SmallDecoder) => Promise<Result>): Promise<Result> {
    const decoder = await this.#parts.openDecoder();
    try {
      return await work(decoder);
    } finally {
      await decoder.close();
    }
  }
}

function medianHzOf(measures: Float32Array): number {
  return 2 ** measures[MEASURES.pitch.from]!;
}

/** Whether speech of these features has about the length of a recording. */
function isOfLength({ frames }: Features, recording: Float32Array): boolean {
  const ratio = (frames * SAMPLES_PER_FRAME) / recording.length;
  return ratio <= EXCERPT_RATIO_MAX && ratio >= 1 / EXCERPT_RATIO_MAX;
}

function stepOf(index: number): number {
  return index < DECODER_VOICE_SIZE ? VOICE_STEP : WEIGHT_STEP;
}

function anchorSlope(index: number, moved: number): number {
  return index < DECODER_VOICE_SIZE ? (2 * ANCHOR * moved) / DECODER_VOICE_SIZE : 0;
}

/** A voice vector with the weight changes behind it that a descent starts from, if it has none. */
function withWeightChanges(decoderVoice: Float32Array): Float32Array {
  if (decoderVoice.length > DECODER_VOICE_SIZE) return decoderVoice;
  return joinSamples([decoderVoice, initialWeightChanges()]);
}

function atTrialLevel(samples: Float32Array): Float32Array {
  const rms = rmsOf(samples);
  return samples.map((value) => (value * TRIAL_RMS) / rms);
}

function meanOf(vectors: readonly Float32Array[]): Float32Array {
  const size = vectors[0]?.length ?? 0;
  return Float32Array.from(
    { length: size },
    (_, index) => vectors.reduce((sum, vector) => sum + vector[index]!, 0) / vectors.length,
  );
}

function toUnitLength(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

/** Inputs of the gradient for the similarity by ECAPA-TDNN. */
function embeddingInputs(embedding: Float32Array = NO_EMBEDDING): Record<string, Tensor> {
  return {
    target_embedding: new Tensor('float32', embedding, [embedding.length]),
    embedding_weight: new Tensor('float32', Float32Array.of(EMBEDDING_WEIGHT), []),
  };
}

function rmsOf(samples: Float32Array): number {
  const square = samples.reduce((sum, value) => sum + value * value, 0) / Math.max(1, samples.length);
  return Math.sqrt(Math.max(square, 1e-10));
}

function requireCloneVector(vector: Float32Array): CloneVector {
  const clone = readCloneVector({ kind: 'vector', values: vector });
  if (clone === undefined) throw new RangeError('The vector is not that of a cloned voice of Kokoro.');
  return clone;
}

function voiceTensor(decoderVoice: Float32Array): Tensor {
  return new Tensor('float32', decoderVoice, [1, decoderVoice.length]);
}

function measuresTensor(measures: Float32Array, { from, to }: { from: number; to: number }): Tensor {
  return new Tensor('float32', measures.slice(from, to), [to - from]);
}
