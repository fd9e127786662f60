import { readFile } from 'node:fs/promises';
import { Resampler } from '../../../audio/dsp/resampler.ts';
import { joinSamples } from '../../../audio/pcm.ts';
import type { TtsEngineContext } from '../../../domain/engines/tts-engine.ts';
import type { SearchTarget, VoiceSearch } from '../../../domain/engines/voice-search.ts';
import { SENTENCE_READING } from '../../../text/front-end/sentence-reading.ts';
import { textToPieces } from '../../../text/front-end/text-to-pieces.ts';
import { kokoroTokens, readKokoroTokenTable } from '../../phonemizer/tokens/kokoro-tokens.ts';
import { floatOutput } from '../onnx/float-output.ts';
import { type InferenceSession, Tensor } from '../onnx/onnxruntime.ts';
import { openSession } from '../onnx/session.ts';
import { readXVectorWeights } from '../speaker-embedding/x-vector-weights.ts';
import { MEASURES } from '../voice-encoder/measures.ts';
import type { OnnxVoiceEncoder } from '../voice-encoder/voice-encoder.ts';
import { Adam } from './adam.ts';
import { backgroundSpectrum, noiseLike } from './background-noise.ts';
import {
  type CloneVector,
  DECODER_VOICE_SIZE,
  movePitch,
  type ProsodyVoice,
  prosodyVoiceFor,
  readCloneVector,
  writeCloneVector,
} from './clone-vector.ts';
import { MODEL } from './cut-graph.ts';
import { BINS, HOPS_PER_FRAME, UtteranceExcitation } from './excitation.ts';
import { FEATURE_ROWS, type Features, SAMPLE_RATE_HZ, SAMPLES_PER_FRAME, sliceFeatures } from './features.ts';
import { loadFront } from './front.ts';
import { loudWindows } from './loud-windows.ts';
import { Styles } from './styles.ts';
import { initialWeightChanges } from './weight-changes.ts';

/** Frames of a trial, fixed in `refinement.onnx`. */
const TRIAL_FRAMES = 120;
const TRIAL_SAMPLES = TRIAL_FRAMES * SAMPLES_PER_FRAME;
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
/** Weight of the mean squared distance of the voice vector from the start, in those units. */
const ANCHOR = 0.01;
const RATE = 0.15;
/** The rate falls to this share of it. */
const LAST_RATE = 0.05;
/** Level of the trials, and of the recording that they are compared with. */
const TRIAL_RMS = 0.06;
const PITCH_CORRECTION_MAX_OCTAVES = 0.15;

interface Sessions {
  /** Measures of a recording to a voice vector. */
  readonly voice: InferenceSession;
  /** Gradient of the similarity of a trial, with respect to the voice vector. */
  readonly refinement: InferenceSession;
  /** Statistics of the speaker networks over 3 s of a recording. */
  readonly statistics: InferenceSession;
}

interface DescentOptions {
  readonly steps: number;
  readonly signal: AbortSignal;
  /** Runs one step when it is the search's turn. */
  readonly inTurn?: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

type SpeechMeasurer = Pick<OnnxVoiceEncoder, 'sampleRateHz'>;

interface SearchParts {
  readonly sessions: Sessions;
  readonly xVectorWeights: Readonly<Record<string, Tensor>>;
  readonly encoder: SpeechMeasurer;
  /** The features of the sentences by a prosody voice. */
  readonly featuresOf: (voice: ProsodyVoice) => Promise<readonly Features[]>;
}

/** The search for cloned voices of the small decoder. Its gradients are exact up to the silence in a trial. */
export class KokoroVoiceSearch implements VoiceSearch {
  readonly #parts: SearchParts;
  readonly #features = new Map<string, Promise<readonly Features[]>>();

  private constructor(parts: SearchParts) {
    this.#parts = parts;
  }

  static async open(context: TtsEngineContext, encoder: SpeechMeasurer): Promise<KokoroVoiceSearch> {
    const asset = (name: string) => context.asset(`small-decoder/${name}`);
    const exact = { threads: context.threads, mayRound: false };
    const [voice, refinement, statistics, xVectorWeights] = await Promise.all([
      openSession(asset('clone-voice.onnx'), context),
      openSession(asset('refinement.onnx'), exact),
      openSession(asset('statistics.onnx'), exact),
      readXVectorWeights(context),
    ]);
    const sessions = { voice, refinement, statistics };
    const featuresOf = (prosody: ProsodyVoice) => trialFeatures(context, prosody);
    return new KokoroVoiceSearch({ sessions, xVectorWeights, encoder, featuresOf });
  }

  accepts(vector: Float32Array): boolean {
    return readCloneVector({ kind: 'vector', values: vector }) !== undefined;
  }

  async predict(measures: Float32Array): Promise<Float32Array> {
    const input = { measures: new Tensor('float32', measures, [1, MEASURES.count]) };
    const decoderVoice = floatOutput(await this.#parts.sessions.voice.run(input), 'voice');
    return writeCloneVector({
      decoderVoice: withWeightChanges(decoderVoice),
      medianHz: 2 ** measures[MEASURES.pitch.from]!,
      rangeOctaves: measures[MEASURES.pitchRange.from]!,
    });
  }

  async targetOf(speech: Float32Array, measures: Float32Array): Promise<SearchTarget> {
    const { sessions, encoder, xVectorWeights } = this.#parts;
    const resampler = new Resampler({ fromHz: encoder.sampleRateHz, toHz: SAMPLE_RATE_HZ });
    const recording = atTrialLevel(joinSamples([resampler.process(speech), resampler.flush()]));
    const windows = loudWindows(recording, TRIAL_SAMPLES);
    let sum: Float32Array | undefined;
    for (const window of windows) {
      const samples = new Tensor('float32', window, [window.length]);
      const values = floatOutput(await sessions.statistics.run({ ...xVectorWeights, samples }), 'statistics');
      sum = sum === undefined ? values : sum.map((value, index) => value + values[index]!);
    }
    const statistics = (sum ?? new Float32Array(0)).map((value) => value / windows.length);
    return { measures, statistics, background: backgroundSpectrum(recording) };
  }

  async descend(
    vector: Float32Array,
    target: SearchTarget,
    { steps, signal, inTurn = (work) => work() }: DescentOptions,
  ): Promise<Float32Array> {
    const clone = requireCloneVector(vector);
    const start = withWeightChanges(clone.decoderVoice);
    const trials = await this.#trials(clone);
    const { measures, statistics, background } = target;
    // Speech is compared in the noise of the recording; the voice would imitate the noise otherwise.
    const backgrounds = trials.map(
      (_, seed) => new Tensor('float32', noiseLike(background, TRIAL_SAMPLES, seed), [TRIAL_SAMPLES]),
    );
    const targets = {
      target_x_vector: measuresTensor(measures, MEASURES.xVector),
      target_d_vector: measuresTensor(measures, MEASURES.dVector),
      target_spectrum: measuresTensor(measures, MEASURES.spectrum),
      target_statistics: new Tensor('float32', statistics, [statistics.length]),
    };
    const moved = new Float32Array(start.length);
    const voiceAt = (weightShare: number) =>
      start.map((value, index) => {
        const share = index < DECODER_VOICE_SIZE ? 1 : weightShare;
        return value + share * stepOf(index) * moved[index]!;
      });
    const optimizer = new Adam(moved.length);
    for (let step = 0; step < steps; step++) {
      signal.throwIfAborted();
      const inputs = {
        ...this.#parts.xVectorWeights,
        ...trials[step % trials.length],
        ...targets,
        background: backgrounds[step % trials.length]!,
        voice: new Tensor('float32', voiceAt(1), [1, moved.length]),
      };
      const outputs = await inTurn(() => this.#parts.sessions.refinement.run(inputs));
      const slopes = floatOutput(outputs, 'gradient');
      const gradient = slopes.map(
        (slope, index) => stepOf(index) * slope + anchorSlope(index, moved[index]!),
      );
      optimizer.step(moved, gradient, RATE * (1 - (1 - LAST_RATE) * (step / steps)));
    }
    return writeCloneVector({ ...clone, decoderVoice: voiceAt(WEIGHT_SHARE) });
  }

  matchPitch(vector: Float32Array, target: Float32Array, measures: Float32Array): Float32Array {
    const clone = requireCloneVector(vector);
    const missing = target[MEASURES.pitch.from]! - measures[MEASURES.pitch.from]!;
    const octaves = Math.min(PITCH_CORRECTION_MAX_OCTAVES, Math.max(-PITCH_CORRECTION_MAX_OCTAVES, missing));
    return writeCloneVector({ ...clone, medianHz: clone.medianHz * 2 ** octaves });
  }

  async close(): Promise<void> {
    await Promise.all(
      Object.values(this.#parts.sessions).map((session: InferenceSession) => session.release()),
    );
  }

  /** Inputs of the gradient for each sentence, at the pitch of the clone. */
  async #trials(clone: CloneVector): Promise<readonly Record<string, Tensor>[]> {
    const prosody = prosodyVoiceFor(SENTENCE_READING.language, clone.medianHz);
    let features = this.#features.get(prosody.name);
    if (features === undefined) {
      features = this.#parts.featuresOf(prosody);
      this.#features.set(prosody.name, features);
    }
    return (await features).map((trial, seed) =>
      trialInputs({ ...trial, f0: movePitch(trial.f0, prosody, clone) }, seed),
    );
  }
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
  const square = samples.reduce((sum, value) => sum + value * value, 0) / Math.max(1, samples.length);
  return samples.map((value) => (value * TRIAL_RMS) / Math.sqrt(Math.max(square, 1e-10)));
}

function requireCloneVector(vector: Float32Array): CloneVector {
  const clone = readCloneVector({ kind: 'vector', values: vector });
  if (clone === undefined) throw new RangeError('The vector is not that of a cloned voice of Kokoro.');
  return clone;
}

function measuresTensor(measures: Float32Array, { from, to }: { from: number; to: number }): Tensor {
  return new Tensor('float32', measures.slice(from, to), [to - from]);
}

/** Runs the front over the sentences, and takes a trial from the middle of each. */
async function trialFeatures(context: TtsEngineContext, prosody: ProsodyVoice): Promise<readonly Features[]> {
  const [front, styles, phonemizer, tokenizer] = await Promise.all([
    loadFront(context),
    context.folder('kokoro-voices').then((folder) => Styles.inFolder(folder)),
    context.phonemizer(),
    context.file(MODEL, 'tokenizer.json').then((path) => readFile(path, 'utf8')),
  ]);
  const tokenTable = readKokoroTokenTable(tokenizer);
  const trials: Features[] = [];
  for (const sentence of SENTENCES) {
    const words = [...textToPieces(sentence, SENTENCE_READING)].flatMap((piece) => piece.words);
    const { ids } = kokoroTokens(phonemizer.kokoro(words, SENTENCE_READING.language).symbols, tokenTable);
    const style = await styles.row({ kind: 'named', name: prosody.name }, ids.length);
    const features = await front.run(ids, style, 1);
    const from = Math.max(0, Math.floor((features.frames - TRIAL_FRAMES) / 2));
    trials.push(sliceFeatures(features, from, from + TRIAL_FRAMES));
  }
  await front.close();
  return trials;
}

function trialInputs(features: Features, seed: number): Record<string, Tensor> {
  const excitation = new UtteranceExcitation(features.f0, seed);
  const spectra = excitation.spectra(0, HOPS_PER_FRAME * TRIAL_FRAMES);
  const contour = (values: Float32Array) => new Tensor('float32', values, [1, 2 * TRIAL_FRAMES]);
  const spectrum = (values: Float32Array) =>
    new Tensor('float32', values, [1, HOPS_PER_FRAME * TRIAL_FRAMES, BINS]);
  return {
    asr: new Tensor('float32', features.asr, [1, FEATURE_ROWS, TRIAL_FRAMES]),
    F0: contour(features.f0),
    N: contour(features.energy),
    cyc: contour(excitation.phase),
    pulse_real: spectrum(spectra.pulseReal),
    pulse_imaginary: spectrum(spectra.pulseImaginary),
    noise_real: spectrum(spectra.noiseReal),
    noise_imaginary: spectrum(spectra.noiseImaginary),
    modulated_real: spectrum(spectra.modulatedReal),
    modulated_imaginary: spectrum(spectra.modulatedImaginary),
  };
}
