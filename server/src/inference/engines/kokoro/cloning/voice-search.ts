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
import { readXVectorWeights } from '../../speaker-embedding/x-vector-weights.ts';
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
import { BINS, HOPS_PER_FRAME, UtteranceExcitation } from '../excitation.ts';
import {
  alignTextRows,
  FEATURE_ROWS,
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
import { backgroundSpectrum, noiseLike } from './background-noise.ts';
import { GradientThreads } from './gradient-threads.ts';
import { loudWindows } from './loud-windows.ts';
import { recordedParts } from './recorded-parts.ts';

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
/** The same where parts of the recording were compared. */
const PARTS_WEIGHT_SHARE = 0.75;
/** Weight of the mean squared distance of the voice vector from the start, in those units. */
const ANCHOR = 0.01;
const RATE = 0.15;
/** The rate falls to this share of it. */
const LAST_RATE = 0.05;
/** Level of the trials, and of the recording that they are compared with. */
const TRIAL_RMS = 0.06;
const PITCH_CORRECTION_MAX_OCTAVES = 0.15;
/** Upper limit of the pitch range of a clone. Nine people have 0.19 to 0.56, median 0.28; octave errors in creak widen it. */
const PITCH_RANGE_MAX_OCTAVES = 0.3;
/** Weight of the long-term spectrum in the loss of a sentence. */
const SPECTRUM_WEIGHT = 0.05;
/** Weight of the distance of log mel energies in the loss of a part of the recording. */
const MEL_WEIGHT = 10;
/** Frames and bands of the log mel energies, fixed in `refinement.onnx`. */
const MEL_FRAMES = 559;
const MEL_BANDS = 66;
/** Frames at both edges that are not compared, and the weight of quiet ones; natural logarithm of energy. */
const MEL_EDGE = 35;
const MEL_LOUD_WITHIN = 6;
const MEL_QUIET_WEIGHT = 0.3;
/** Limits of a transcribed excerpt, which bound time and memory of its alignment. */
const EXCERPT_SECONDS_MAX = 15;
const EXCERPT_CHARACTERS_MAX = 600;
const EXCERPT_TOKENS_MAX = 400;
/** The synthetic speech of a transcript may be longer or shorter than the recording by this factor. */
const EXCERPT_RATIO_MAX = 2;

interface Sessions {
  /** Measures of a recording to a voice vector. */
  readonly voice: InferenceSession;
  /** Statistics of the speaker networks over 3 s of a recording. */
  readonly statistics: InferenceSession;
}

interface DescentOptions {
  readonly steps: number;
  readonly trialsAtOnce: number;
  readonly signal: AbortSignal;
  /** Runs one step when it is the search's turn. */
  readonly inTurn?: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

type SpeechMeasurer = Pick<OnnxVoiceEncoder, 'sampleRateHz'>;

interface SearchParts {
  readonly sessions: Sessions;
  /** Gradient of the similarity of a trial, with respect to the voice vector. */
  readonly gradients: GradientThreads;
  readonly xVectorWeights: Readonly<Record<string, Tensor>>;
  readonly encoder: SpeechMeasurer;
  /** The features of texts by a prosody voice. */
  readonly featuresOf: (texts: readonly string[], voice: ProsodyVoice) => Promise<readonly Features[]>;
  readonly openDecoder: () => Promise<SmallDecoder>;
}

/** Inputs of the gradient that differ between trials. */
type TrialInputs = Readonly<Record<string, Tensor>>;
/** Makes the inputs on its first call. */
type Trial = () => TrialInputs;

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
    const exact = { threads: context.threads, mayRound: false };
    const xVectorWeights = await readXVectorWeights(context);
    const gradients = new GradientThreads({
      model: asset('refinement.onnx'),
      threads: context.threads,
      constants: xVectorWeights,
    });
    // They open their model while this thread opens the other ones.
    gradients.prepare();
    const [voice, statistics, encoder] = await Promise.all([
      openSession(asset('clone-voice.onnx'), context),
      openSession(asset('statistics.onnx'), exact),
      openEncoder(),
    ]);
    const sessions = { voice, statistics };
    return new KokoroVoiceSearch({
      sessions,
      gradients,
      xVectorWeights,
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
    const decoderVoice = floatOutput(await this.#parts.sessions.voice.run(input), 'voice');
    return writeCloneVector({
      decoderVoice: withWeightChanges(decoderVoice),
      medianHz: 2 ** measures[MEASURES.pitch.from]!,
      rangeOctaves: measures[MEASURES.pitchRange.from]!,
    });
  }

  async targetOf(speech: Float32Array, measures: Float32Array): Promise<SearchTarget> {
    const recording = this.#atTrialRate(speech);
    const windows = loudWindows(recording, TRIAL_SAMPLES);
    let sum: Float32Array | undefined;
    for (const window of windows) {
      const { statistics: values } = await this.#listen(window);
      sum = sum === undefined ? values : sum.map((value, index) => value + values[index]!);
    }
    const statistics = (sum ?? new Float32Array(0)).map((value) => value / windows.length);
    return { measures, statistics, background: backgroundSpectrum(recording), parts: [] };
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
    const parts: RecordedPart[] = [];
    for (const part of recordedParts(recording, synthetic, { frames: TRIAL_FRAMES, rms: TRIAL_RMS })) {
      const { f0: pitchHz, energy } = part.features;
      parts.push({
        textFeatures: alignTextRows(part.features),
        pitchHz,
        energy,
        rms: rmsOf(part.samples),
        ...(await this.#listen(part.samples)),
      });
    }
    return parts;
  }

  async descend(
    vector: Float32Array,
    target: SearchTarget,
    { steps, trialsAtOnce, signal, inTurn = (work) => work() }: DescentOptions,
  ): Promise<Float32Array> {
    const clone = requireCloneVector(vector);
    const start = withWeightChanges(clone.decoderVoice);
    const { measures, background } = target;
    // Speech is compared in the noise of the recording; the voice would imitate the noise otherwise.
    const inNoise = (trial: () => TrialInputs, seed: number): Trial =>
      once(() => ({
        ...trial(),
        background: new Tensor('float32', noiseLike(background, TRIAL_SAMPLES, seed), [TRIAL_SAMPLES]),
      }));
    const sentences = await this.#sentences(clone, target);
    const parts = target.parts.map((part, seed) => () => partInputs(part, seed));
    const trials = alternate(sentences.map(inNoise), parts.map(inNoise));
    const trialsFrom = (first: number) =>
      Array.from({ length: Math.min(trialsAtOnce, steps - first) }, (_, place) =>
        trials[(first + place) % trials.length]!(),
      );
    const targets = {
      target_x_vector: measuresTensor(measures, MEASURES.xVector),
      target_d_vector: measuresTensor(measures, MEASURES.dVector),
      target_spectrum: measuresTensor(measures, MEASURES.spectrum),
    };
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
      const computed = inTurn(() => this.#parts.gradients.compute(inputs));
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
    const { sessions, gradients } = this.#parts;
    await Promise.all([sessions.voice.release(), sessions.statistics.release(), gradients.close()]);
  }

  /** Inputs of the gradient for each sentence, at the pitch of the clone. */
  async #sentences(
    clone: CloneVector,
    { statistics }: SearchTarget,
  ): Promise<readonly (() => TrialInputs)[]> {
    const prosody = prosodyVoiceFor(SENTENCE_READING.language, clone.medianHz);
    let features = this.#features.get(prosody.name);
    if (features === undefined) {
      features = this.#parts.featuresOf(SENTENCES, prosody).then((spoken) => spoken.map(middleOf));
      this.#features.set(prosody.name, features);
    }
    const compared = {
      target_statistics: new Tensor('float32', statistics, [statistics.length]),
      level: scalar(TRIAL_RMS),
      spectrum_weight: scalar(SPECTRUM_WEIGHT),
      ...melInputs(new Float32Array(MEL_FRAMES * MEL_BANDS), new Float32Array(MEL_FRAMES)),
    };
    return (await features).map((trial, seed) => () => ({
      ...decoderInputs(
        { ...trial, asr: alignTextRows(trial), f0: movePitch(trial.f0, prosody, clone) },
        seed,
      ),
      ...compared,
    }));
  }

  #atTrialRate(speech: Float32Array): Float32Array {
    const resampler = new Resampler({ fromHz: this.#parts.encoder.sampleRateHz, toHz: SAMPLE_RATE_HZ });
    return atTrialLevel(joinSamples([resampler.process(speech), resampler.flush()]));
  }

  /** Statistics of the speaker networks and log mel energies of a trial's length of speech. */
  async #listen(window: Float32Array): Promise<Pick<RecordedPart, 'statistics' | 'logMel'>> {
    const samples = new Tensor('float32', window, [window.length]);
    const outputs = await this.#parts.sessions.statistics.run({ ...this.#parts.xVectorWeights, samples });
    return { statistics: floatOutput(outputs, 'statistics'), logMel: floatOutput(outputs, 'log_mel') };
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

/** A sentence and two parts in turn. Both lists are repeated; without parts, these are the sentences. */
function alternate(sentences: readonly Trial[], parts: readonly Trial[]): readonly Trial[] {
  if (parts.length === 0) return sentences;
  return Array.from({ length: sentences.length * parts.length }, (_, turn) => [
    sentences[turn % sentences.length]!,
    parts[(2 * turn) % parts.length]!,
    parts[(2 * turn + 1) % parts.length]!,
  ]).flat();
}

function once(make: () => TrialInputs): Trial {
  let made: TrialInputs | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Inputs of the gradient for a part of the recording. */
function partInputs(part: RecordedPart, seed: number): TrialInputs {
  const { textFeatures: asr, pitchHz: f0, energy, statistics, logMel } = part;
  return {
    ...decoderInputs({ asr, f0, energy }, seed),
    target_statistics: new Tensor('float32', statistics, [statistics.length]),
    level: scalar(part.rms),
    spectrum_weight: scalar(0),
    ...melInputs(logMel, melWeights(logMel)),
  };
}

/** Weights of the frames of a part: quiet ones count less, the edges do not count. */
function melWeights(logMel: Float32Array): Float32Array {
  const levels = Array.from({ length: MEL_FRAMES }, (_, frame) =>
    logMel.subarray(frame * MEL_BANDS, (frame + 1) * MEL_BANDS).reduce((sum, value) => sum + value, 0),
  );
  const quietest = Math.max(...levels) - MEL_LOUD_WITHIN * MEL_BANDS;
  const weights = Float32Array.from(levels, (level, frame) => {
    if (frame < MEL_EDGE || frame >= MEL_FRAMES - MEL_EDGE) return 0;
    return level > quietest ? 1 : MEL_QUIET_WEIGHT;
  });
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => (MEL_WEIGHT * weight) / sum);
}

function melInputs(logMel: Float32Array, weights: Float32Array): TrialInputs {
  return {
    recorded_mel: new Tensor('float32', logMel, [MEL_FRAMES, MEL_BANDS]),
    mel_weights: new Tensor('float32', weights, [MEL_FRAMES]),
  };
}

function scalar(value: number): Tensor {
  return new Tensor('float32', Float32Array.of(value), []);
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

function decoderInputs(
  features: Pick<Features, 'f0' | 'energy'> & { readonly asr: Float32Array },
  seed: number,
): TrialInputs {
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
