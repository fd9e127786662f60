import { join } from 'node:path';
import type {
  VoiceEncoder,
  VoiceTraitEstimator,
  VoiceTraits,
  VoiceTrial,
} from '../../../domain/engines/voice-encoder.ts';
import { floatOutput } from '../onnx/float-output.ts';
import { type InferenceSession, Tensor } from '../onnx/onnxruntime.ts';
import { openSession } from '../onnx/session.ts';
import type { XVectorNetwork } from '../speaker-embedding/x-vector-network.ts';
import { describeMeasures, isInTune, measuredDistance, measuredLikeness } from './compare-measures.ts';
import { interpolatePitch } from './interpolate-pitch.ts';
import { MEASURED_RATE_HZ, MEASURES } from './measures.ts';
import { measurePitch } from './pitch-statistics.ts';
import { SpeakerSpace } from './speaker-space.ts';
import { cutMelWindows, longTermSpectrum, selectXVectorFrames } from './speech-frames.ts';
import { limitPitchRange, readTraits, withPitch } from './voice-traits.ts';

/** The networks and their asset files. The file names predate the names used here. */
const GRAPHS = {
  /** Samples to cepstra, mel energies and 8 kHz audio; no learned weights. */
  features: 'front.onnx',
  /** Mel energies to a speaker embedding distilled from GE2E. */
  dVector: 'ear.onnx',
  /** Measures to coordinates in the speaker space, and to a gender score. */
  encoder: 'encoder.onnx',
} as const;
/** Coordinates to the predicted measures, with the gradient of the distance to a target. */
const MEASURE_PREDICTOR = 'listener.onnx';
type Graph = keyof typeof GRAPHS;

/** Recordings are normalised to these levels, since some measures depend on the level. */
const MEASURED_RMS = 10 ** (-22 / 20);
const D_VECTOR_RMS = 10 ** (-30 / 20);

/** Upper limit of the target pitch range. Speaker vectors with a wide range differ in pitch from sentence to sentence. */
const PITCH_RANGE_MAX_OCTAVES = 0.2;

/** Gradient descent with a decreasing step size, regularised toward the mean voice and toward the start. */
const SEARCH = { steps: 150, rate: 0.1, pull: 3e-4 } as const;
const CORRECTION = { steps: 80, rate: 0.02, pull: 3e-4, anchorPull: 1e-2 } as const;

/** Decay of the moving averages of the gradient and its square. */
const MOMENTUM = 0.9;

/** Measures voices and finds the speaker vector of the 904-speaker VITS nearest to a target. Stateless. */
export class OnnxVoiceEncoder implements VoiceEncoder, VoiceTraitEstimator {
  readonly sampleRateHz = MEASURED_RATE_HZ;
  readonly distance = measuredDistance;
  readonly similarity = measuredLikeness;
  readonly hasSamePitch = isInTune;
  readonly pitchOf = readTraits;
  readonly targetFor = (recording: Float32Array) => limitPitchRange(recording, PITCH_RANGE_MAX_OCTAVES);
  readonly describe = describeMeasures;
  readonly withPitch = withPitch;
  readonly #sessions: Readonly<Record<Graph, InferenceSession>>;
  readonly #openPredictor: () => Promise<InferenceSession>;
  readonly #speakers: () => Promise<readonly Float32Array[]>;
  /** Opened with its first use, in 0.1 s: clones of Kokoro do not need it. */
  #predictor: Promise<InferenceSession> | undefined;
  /** Computed with its first use, in 0.7 s: clones of Kokoro do not need it. */
  #space: Promise<SpeakerSpace> | undefined;
  readonly #xVectors: XVectorNetwork;

  private constructor({
    sessions,
    openPredictor,
    speakers,
    xVectors,
  }: {
    readonly sessions: Readonly<Record<Graph, InferenceSession>>;
    readonly openPredictor: () => Promise<InferenceSession>;
    readonly speakers: () => Promise<readonly Float32Array[]>;
    readonly xVectors: XVectorNetwork;
  }) {
    this.#sessions = sessions;
    this.#openPredictor = openPredictor;
    this.#speakers = speakers;
    this.#xVectors = xVectors;
  }

  static async open(
    folder: string,
    options: {
      readonly threads: number;
      readonly xVectors: XVectorNetwork;
      /** Loads the speaker vectors of the engine, with the first use of their space. */
      readonly speakers: () => Promise<readonly Float32Array[]>;
    },
  ): Promise<OnnxVoiceEncoder> {
    const open = (file: string) => openSession(join(folder, file), options);
    const opened = await Promise.all(
      Object.entries(GRAPHS).map(async ([name, file]) => [name, await open(file)] as const),
    );
    const sessions = Object.fromEntries(opened) as Record<Graph, InferenceSession>;
    return new OnnxVoiceEncoder({ ...options, sessions, openPredictor: () => open(MEASURE_PREDICTOR) });
  }

  #features(samples: Float32Array): Promise<Record<string, Float32Array>> {
    return this.#run('features', { samples: row(atLevel(samples, MEASURED_RMS)) });
  }

  async measure(samples: Float32Array): Promise<Float32Array> {
    const features = await this.#features(samples);
    const mel = atDVectorLevel(features.mel!);
    const windows = cutMelWindows(mel);
    const xVector = await this.#xVectors.embed(selectXVectorFrames(features.cepstra!));
    const { embeddings } = await this.#run('dVector', {
      windows: new Tensor('float32', windows.values, [windows.count, 160, 40]),
    });
    const measures = new Float32Array(MEASURES.count);
    measures.set(xVector, MEASURES.xVector.from);
    measures.set(meanDirection(embeddings!, windows.count), MEASURES.dVector.from);
    measures.set(longTermSpectrum(mel), MEASURES.spectrum.from);
    const pitch = measurePitch(features.low!);
    measures[MEASURES.pitch.from] = pitch.log2Hz;
    measures[MEASURES.pitchRange.from] = pitch.rangeOctaves;
    return measures;
  }

  async predictVector(target: Float32Array): Promise<Float32Array> {
    const { coordinates } = await this.#run('encoder', { measures: row(target) });
    const found = await this.#descend(coordinates!, { target, ...SEARCH });
    return (await this.#speakerSpace()).toVector(found);
  }

  async genderOf(measures: Float32Array): Promise<'female' | 'male'> {
    return (await this.#femininity(measures)) > 0 ? 'female' : 'male';
  }

  async traitsOf(measures: Float32Array): Promise<VoiceTraits> {
    return { femininity: await this.#femininity(measures), ...readTraits(measures) };
  }

  /** Predicted traits of a voice that has not been synthesized. */
  async expectedTraits(vector: Float32Array): Promise<VoiceTraits> {
    const target = new Float32Array(MEASURES.count);
    const { predicted } = await this.#predict((await this.#speakerSpace()).toCoordinates(vector), {
      target,
      pull: 0,
    });
    return this.traitsOf(predicted!);
  }

  async refineVector(target: Float32Array, trial: VoiceTrial, caution: number): Promise<Float32Array> {
    const start = (await this.#speakerSpace()).toCoordinates(trial.vector);
    const bias = await this.#biasOf(start, trial.measures);
    const anchorPull = CORRECTION.anchorPull * caution;
    const found = await this.#descend(start, { target, bias, anchor: start, ...CORRECTION, anchorPull });
    return (await this.#speakerSpace()).toVector(found);
  }

  async matchPitch(target: Float32Array, trial: VoiceTrial, other?: VoiceTrial): Promise<Float32Array> {
    const between = other === undefined ? undefined : interpolatePitch(target, trial, other);
    if (between !== undefined) return between;
    return this.refineVector(withPitch(trial.measures, 2 ** target[MEASURES.pitch.from]!), trial, 1);
  }

  async close(): Promise<void> {
    const predictor = await this.#predictor?.catch(() => undefined);
    await Promise.all([...Object.values(this.#sessions), predictor].map((session) => session?.release()));
    await this.#xVectors.close();
  }

  #speakerSpace(): Promise<SpeakerSpace> {
    if (this.#space === undefined) {
      this.#space = this.#speakers().then((speakers) => new SpeakerSpace(speakers));
      this.#space.catch(() => {
        this.#space = undefined;
      });
    }
    return this.#space;
  }

  async #femininity(measures: Float32Array): Promise<number> {
    const { gender } = await this.#run('encoder', { measures: row(measures) });
    return gender![0]!;
  }

  /** Prediction error of a trial. Measured embeddings are scaled to the length of the predicted ones. */
  async #biasOf(voice: Float32Array, measured: Float32Array): Promise<Float32Array> {
    const { predicted } = await this.#predict(voice, { target: measured, pull: 0 });
    const bias = Float32Array.from(measured);
    for (const group of [MEASURES.xVector, MEASURES.dVector]) {
      const length = Math.hypot(...predicted!.subarray(group.from, group.to));
      for (let index = group.from; index < group.to; index++) bias[index]! *= length;
    }
    return bias.map((value, index) => value - predicted![index]!);
  }

  /**
   * Gradient descent with momentum and a step size that decreases to zero. The gradient is normalised by its RMS over
   * all coordinates, so the step size is independent of its magnitude and of the axes of the space.
   */
  async #descend(
    start: Float32Array,
    search: PredictionInput & { readonly steps: number; readonly rate: number },
  ): Promise<Float32Array> {
    const voice = Float32Array.from(start);
    const momentum = new Float64Array(voice.length);
    let squaredGradient = 0;
    for (let step = 0; step < search.steps; step++) {
      const gradient = (await this.#predict(voice, search)).gradient!;
      const warmUp = 1 - MOMENTUM ** (step + 1);
      squaredGradient = MOMENTUM * squaredGradient + (1 - MOMENTUM) * meanSquare(gradient);
      const rate = (search.rate * (1 - step / search.steps)) / warmUp;
      const scale = rate / (Math.sqrt(squaredGradient / warmUp) + 1e-8);
      for (let index = 0; index < voice.length; index++) {
        momentum[index] = MOMENTUM * momentum[index]! + (1 - MOMENTUM) * gradient[index]!;
        voice[index]! -= scale * momentum[index]!;
      }
    }
    return voice;
  }

  async #predict(voice: Float32Array, { target, bias, anchor, pull, anchorPull }: PredictionInput) {
    return runSession(await this.#openedPredictor(), {
      voice: row(voice),
      target: row(target),
      bias: row(bias ?? new Float32Array(MEASURES.count)),
      pull: row(Float32Array.of(pull, anchorPull ?? 0)),
      anchor: row(anchor ?? new Float32Array(voice.length)),
    });
  }

  #openedPredictor(): Promise<InferenceSession> {
    if (this.#predictor === undefined) {
      this.#predictor = this.#openPredictor();
      this.#predictor.catch(() => {
        this.#predictor = undefined;
      });
    }
    return this.#predictor;
  }

  #run(graph: Graph, feeds: Record<string, Tensor>): Promise<Record<string, Float32Array>> {
    return runSession(this.#sessions[graph], feeds);
  }
}

async function runSession(
  session: InferenceSession,
  feeds: Record<string, Tensor>,
): Promise<Record<string, Float32Array>> {
  const outputs = await session.run(feeds);
  return Object.fromEntries(Object.keys(outputs).map((name) => [name, floatOutput(outputs, name)]));
}

interface PredictionInput {
  readonly target: Float32Array;
  /** Weight of the squared distance from the mean voice. */
  readonly pull: number;
  readonly bias?: Float32Array;
  readonly anchor?: Float32Array;
  /** Weight of the squared distance from the anchor. */
  readonly anchorPull?: number;
}

function meanSquare(values: Float32Array): number {
  return values.reduce((sum, value) => sum + value ** 2, 0) / values.length;
}

function row(values: Float32Array): Tensor {
  return new Tensor('float32', values, [1, values.length]);
}

function atLevel(samples: Float32Array, rms: number): Float32Array {
  const gain = rms / Math.max(Math.sqrt(meanSquare(samples)), 1e-5);
  return samples.map((sample) => sample * gain);
}

/** Mel energies at the level that the d-vector network expects. */
function atDVectorLevel(mel: Float32Array): Float32Array {
  return mel.map((energy) => energy * (D_VECTOR_RMS / MEASURED_RMS) ** 2);
}

/** The direction of the sum of `count` vectors. */
function meanDirection(vectors: Float32Array, count: number): Float32Array {
  const size = vectors.length / count;
  const sum = new Float32Array(size);
  vectors.forEach((value, index) => {
    sum[index % size]! += value;
  });
  const length = Math.hypot(...sum) || 1;
  return sum.map((value) => value / length);
}
