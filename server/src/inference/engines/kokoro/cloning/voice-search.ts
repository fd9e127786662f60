import { readFile } from 'node:fs/promises';
import { Resampler } from '../../../../audio/dsp/resampler.ts';
import { joinSamples } from '../../../../audio/pcm.ts';
import type { TtsEngineContext } from '../../../../domain/engines/tts-engine.ts';
import type {
  RecordedPart,
  SearchTarget,
  TranscribedSpeech,
  VoiceSearch,
} from '../../../../domain/engines/voice-search.ts';
import { SENTENCE_READING } from '../../../../text/front-end/sentence-reading.ts';
import { textToPieces } from '../../../../text/front-end/text-to-pieces.ts';
import { kokoroTokens, readKokoroTokenTable } from '../../../phonemizer/tokens/kokoro-tokens.ts';
import { floatOutput } from '../../onnx/float-output.ts';
import { type InferenceSession, Tensor } from '../../onnx/onnxruntime.ts';
import { openSession } from '../../onnx/session.ts';
import { MEASURES } from '../../voice-encoder/measures.ts';
import type { OnnxVoiceEncoder } from '../../voice-encoder/voice-encoder.ts';
import { limitPitchRange } from '../../voice-encoder/voice-traits.ts';
import {
  type CloneVector,
  DECODER_VOICE_SIZE,
  movePitch,
  type ProsodyVoice,
  prosodyVoiceFor,
  readCloneVector,
  writeCloneVector,
} from '../clone-vector.ts';
import {
  alignTextRows,
  type Features,
  SAMPLE_RATE_HZ,
  SAMPLES_PER_FRAME,
  sliceFeatures,
} from '../features.ts';
import { loadFront } from '../front.ts';
import { SmallDecoder } from '../small-decoder.ts';
import { Styles } from '../styles.ts';
import { initialWeightChanges } from '../weight-changes.ts';
import { Adam } from './adam.ts';
import { backgroundSpectrum } from './background-noise.ts';
import { GradientThreads } from './gradient-threads.ts';
import { loudWindows } from './loud-windows.ts';
import { recordedParts } from './recorded-parts.ts';
import { readSpeakerNetworks, TrialListener } from './trial-listener.ts';
import { makeTrials, TRIAL_FRAMES, TRIAL_RMS, TRIAL_SAMPLES } from './trials.ts';

const SENTENCES = [
  'They had been friends since the day they met on the boat.',
  'The rain stopped before noon, and the streets were dry again by one.',
  'What happened to the picture that used to hang above the fire?',
  'Our neighbours painted their whole house yellow in a single weekend.',
  'She chose the blue jacket because it was much warmer than the other one.',
  'Just give me a moment to think about what you said this morning.',
];
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
/** Weight of the mean squared distance of the voice vector from the start, in those units. */
const ANCHOR = 0.01;
const RATE = 0.15;
/** The rate falls to this share of it. */
const LAST_RATE = 0.05;
const PITCH_CORRECTION_MAX_OCTAVES = 0.15;
/** Upper limit of the pitch range of a clone. Nine people have 0.19 to 0.56, median 0.28; octave errors in creak widen it. */
const PITCH_RANGE_MAX_OCTAVES = 0.3;
/** Limits of a transcribed excerpt, which bound time and memory of its alignment. */
const EXCERPT_SECONDS_MAX = 15;
const EXCERPT_CHARACTERS_MAX = 600;
const EXCERPT_TOKENS_MAX = 400;
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
  /** Measures of a recording to a voice vector. */
  readonly estimate: InferenceSession;
  /** Gradient of the similarity of a trial, with respect to the voice vector. */
  readonly gradients: GradientThreads;
  readonly listener: TrialListener;
  readonly encoder: SpeechMeasurer;
  /** The features of texts by a prosody voice. */
  readonly featuresOf: (texts: readonly string[], voice: ProsodyVoice) => Promise<readonly Features[]>;
  readonly openDecoder: () => Promise<SmallDecoder>;
}

/** The search for cloned voices of the small decoder. Its gradients are exact up to the silence in a trial. */
export class KokoroVoiceSearch implements VoiceSearch {
  readonly #parts: SearchParts;
  readonly #features = new Map<string, Promise<readonly Features[]>>();

  private constructor(parts: SearchParts) {
    this.#parts = parts;
  }

  static async open(
    context: TtsEngineContext,
    openEncoder: () => Promise<SpeechMeasurer>,
  ): Promise<KokoroVoiceSearch> {
    const asset = (name: string) => context.asset(`small-decoder/${name}`);
    const networks = await readSpeakerNetworks(context);
    const gradients = new GradientThreads({
      model: asset('refinement.onnx'),
      threads: context.threads,
      constants: networks.xVectorWeights,
      ecapaWeights: networks.ecapaWeights,
    });
    // They open their model while this thread opens the other ones.
    gradients.prepare();
    const [estimate, listener, encoder] = await Promise.all([
      openSession(asset('clone-voice.onnx'), context),
      TrialListener.open(context, networks),
      openEncoder(),
    ]);
    return new KokoroVoiceSearch({
      estimate,
      gradients,
      listener,
      encoder,
      featuresOf: (texts, prosody) => textFeatures(context, texts, prosody),
      openDecoder: () => SmallDecoder.open((name) => context.asset(name)),
    });
  }

  accepts(vector: Float32Array): boolean {
    return readCloneVector({ kind: 'vector', values: vector }) !== undefined;
  }

  targetFor(recording: Float32Array): Float32Array {
    return limitPitchRange(recording, PITCH_RANGE_MAX_OCTAVES);
  }

  async predict(measures: Float32Array): Promise<Float32Array> {
    const input = { measures: new Tensor('float32', measures, [1, MEASURES.count]) };
    const decoderVoice = floatOutput(await this.#parts.estimate.run(input), 'voice');
    return writeCloneVector({
      decoderVoice: withWeightChanges(decoderVoice),
      medianHz: 2 ** measures[MEASURES.pitch.from]!,
      rangeOctaves: measures[MEASURES.pitchRange.from]!,
    });
  }

  async targetOf(
    speech: Float32Array,
    measures: Float32Array,
    { isThorough }: { readonly isThorough: boolean },
  ): Promise<SearchTarget> {
    const recording = this.#atTrialRate(speech);
    const { listener } = this.#parts;
    const ecapaFile = isThorough ? await listener.ecapaFile() : undefined;
    const heard = await listener.hear([...loudWindows(recording, TRIAL_SAMPLES)], ecapaFile);
    return {
      measures,
      statistics: meanOf(heard.map(({ statistics }) => statistics)),
      ...(ecapaFile !== undefined && {
        embedding: toUnitLength(meanOf(heard.map(({ embedding }) => embedding))),
      }),
      background: backgroundSpectrum(recording),
      parts: [],
    };
  }

  async partsOf(
    { samples, text }: TranscribedSpeech,
    vector: Float32Array,
  ): Promise<readonly RecordedPart[]> {
    const lengthMax = EXCERPT_SECONDS_MAX * this.#parts.encoder.sampleRateHz;
    if (samples.length > lengthMax || text.length > EXCERPT_CHARACTERS_MAX) return [];
    const clone = requireCloneVector(vector);
    const prosody = prosodyVoiceFor(SENTENCE_READING.language, clone.medianHz);
    const recording = this.#atTrialRate(samples);
    const [spoken] = await this.#parts.featuresOf([text], prosody);
    if (spoken === undefined || !isOfLength(spoken, recording)) return [];
    const features = { ...spoken, f0: movePitch(spoken.f0, prosody, clone) };
    const synthetic = { features, samples: await this.#decode(features, clone) };
    const parts = [...recordedParts(recording, synthetic, { frames: TRIAL_FRAMES, rms: TRIAL_RMS })];
    const heard = await this.#parts.listener.hear(parts.map((part) => part.samples));
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
    const trials = makeTrials(await this.#sentences(clone), target);
    const trialsFrom = (first: number) =>
      Array.from({ length: Math.min(trialsAtOnce, steps - first) }, (_, place) =>
        trials[(first + place) % trials.length]!(),
      );
    const targets = {
      target_x_vector: measuresTensor(measures, MEASURES.xVector),
      target_d_vector: measuresTensor(measures, MEASURES.dVector),
      target_spectrum: measuresTensor(measures, MEASURES.spectrum),
      ...embeddingInputs(target.embedding),
    };
    const ecapaFile = target.embedding === undefined ? undefined : await this.#parts.listener.ecapaFile();
    const moved = new Float32Array(start.length);
    const voiceAt = (weightShare: number) =>
      start.map((value, index) => {
        const share = index < DECODER_VOICE_SIZE ? 1 : weightShare;
        return value + share * stepOf(index) * moved[index]!;
      });
    const optimizer = new Adam(moved.length);
    for (let step = 0; step < steps; ) {
      signal.throwIfAborted();
      const voice = new Tensor('float32', voiceAt(1), [1, moved.length]);
      const inputs = trialsFrom(step).map((trial) => ({ ...targets, ...trial, voice }));
      const computed = inTurn(() => this.#parts.gradients.compute(inputs, { ecapaFile }));
      // The next trials are made while the threads compute.
      trialsFrom(step + inputs.length);
      for (const slopes of await computed) {
        const gradient = slopes.map(
          (slope, index) => stepOf(index) * slope + anchorSlope(index, moved[index]!),
        );
        optimizer.step(moved, gradient, RATE * (1 - (1 - LAST_RATE) * (step / steps)));
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
    const { estimate, listener, gradients } = this.#parts;
    await Promise.all([estimate.release(), listener.close(), gradients.close()]);
  }

  /** The features of the sentences, at the pitch of the clone. */
  async #sentences(clone: CloneVector): Promise<readonly Features[]> {
    const prosody = prosodyVoiceFor(SENTENCE_READING.language, clone.medianHz);
    let features = this.#features.get(prosody.name);
    if (features === undefined) {
      features = this.#parts.featuresOf(SENTENCES, prosody).then((spoken) => spoken.map(middleOf));
      this.#features.set(prosody.name, features);
      features.catch(() => this.#features.delete(prosody.name));
    }
    return (await features).map((trial) => ({ ...trial, f0: movePitch(trial.f0, prosody, clone) }));
  }

  #atTrialRate(speech: Float32Array): Float32Array {
    const resampler = new Resampler({ fromHz: this.#parts.encoder.sampleRateHz, toHz: SAMPLE_RATE_HZ });
    return atTrialLevel(joinSamples([resampler.process(speech), resampler.flush()]));
  }

  async #decode(features: Features, { decoderVoice }: CloneVector): Promise<Float32Array> {
    const decoder = await this.#parts.openDecoder();
    try {
      const style = new Float32Array(0);
      return await decoder.begin({ features, style, decoderVoice, seed: 0 }).decode(0, features.frames);
    } finally {
      await decoder.close();
    }
  }
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
function embeddingInputs(embedding: Float32Array = new Float32Array(EMBEDDING_SIZE)): Record<string, Tensor> {
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

function measuresTensor(measures: Float32Array, { from, to }: { from: number; to: number }): Tensor {
  return new Tensor('float32', measures.slice(from, to), [to - from]);
}

/** The trial in the middle of a sentence. */
function middleOf(features: Features): Features {
  const from = Math.max(0, Math.floor((features.frames - TRIAL_FRAMES) / 2));
  return sliceFeatures(features, from, from + TRIAL_FRAMES);
}

/** Runs the front over texts. Those without words and those that are too long are left out. */
async function textFeatures(
  context: TtsEngineContext,
  texts: readonly string[],
  prosody: ProsodyVoice,
): Promise<readonly Features[]> {
  const [front, styles, phonemizer, tokenizer] = await Promise.all([
    loadFront(context),
    context.folder('kokoro-voices').then((folder) => Styles.inFolder(folder)),
    context.phonemizer(),
    context.file('kokoro-voices', 'tokenizer.json').then((path) => readFile(path, 'utf8')),
  ]);
  const tokenTable = readKokoroTokenTable(tokenizer);
  const results: Features[] = [];
  try {
    for (const text of texts) {
      const words = [...textToPieces(text, SENTENCE_READING)].flatMap((piece) => piece.words);
      const { ids } = kokoroTokens(phonemizer.kokoro(words, SENTENCE_READING.language).symbols, tokenTable);
      if (ids.length === 0 || ids.length > EXCERPT_TOKENS_MAX) continue;
      const style = await styles.row({ kind: 'named', name: prosody.name }, ids.length);
      results.push(await front.run(ids, style, 1));
    }
  } finally {
    await front.close();
  }
  return results;
}
