import { join } from 'node:path';
import { type InferenceSession, Tensor } from 'onnxruntime-node';
import type { TraitReader, Trial, VoiceEncoder, VoiceTraits } from '../../../domain/engines/voice-encoder.ts';
import { openSession } from '../onnx/session.ts';
import type { VoicePrintNetwork } from '../speaker-embedding/voice-print-network.ts';
import { describeMeasures, isInTune, measuredDistance, measuredLikeness } from './judgement.ts';
import { MEASURED_RATE_HZ, MEASURES } from './measures.ts';
import { pitchStatistics } from './pitch.ts';
import { pitchBetween } from './pitch-between.ts';
import { SpeakerSpace } from './speaker-space.ts';
import { longTermSpectrum, melWindows, xVectorFrames } from './speech-frames.ts';
import { readTraits, withPitch, withSteadyPitch } from './voice-traits.ts';

const GRAPHS = ['front', 'ear', 'encoder', 'listener'] as const;
type Graph = (typeof GRAPHS)[number];

/** Recordings are measured at one level, since some of what is measured depends on it. */
const MEASURED_RMS = 10 ** (-22 / 20);
const EAR_RMS = 10 ** (-30 / 20);

/** How a voice is searched: by steps that get smaller, held near the mean voice and near where it starts. */
const SEARCH = { steps: 150, rate: 0.1, pull: 3e-4 } as const;
const CORRECTION = { steps: 80, rate: 0.02, pull: 3e-4, anchorPull: 1e-2 } as const;

/** How much of what a search has learnt about the slope it keeps from step to step. */
const MEMORY = 0.9;

/**
 * Hears what sets a voice apart and finds the speaker vector of the 904-speaker VITS that sounds most like it.
 * Keeps no state between calls.
 */
export class OnnxVoiceEncoder implements VoiceEncoder, TraitReader {
  readonly sampleRateHz = MEASURED_RATE_HZ;
  readonly distance = measuredDistance;
  readonly likeness = measuredLikeness;
  readonly isInTune = isInTune;
  readonly melodyOf = readTraits;
  readonly aimFor = withSteadyPitch;
  readonly describe = describeMeasures;
  readonly withPitch = withPitch;
  readonly #sessions: Readonly<Record<Graph, InferenceSession>>;
  readonly #space: SpeakerSpace;
  readonly #voicePrints: VoicePrintNetwork;

  private constructor(
    sessions: Readonly<Record<Graph, InferenceSession>>,
    space: SpeakerSpace,
    voicePrints: VoicePrintNetwork,
  ) {
    this.#sessions = sessions;
    this.#space = space;
    this.#voicePrints = voicePrints;
  }

  static async open(
    folder: string,
    options: {
      readonly threads: number;
      readonly voicePrints: VoicePrintNetwork;
      /** The vectors of the engine's own speakers. */
      readonly speakers: readonly Float32Array[];
    },
  ): Promise<OnnxVoiceEncoder> {
    const sessions = await Promise.all(
      GRAPHS.map(async (name) => [name, await openSession(join(folder, `${name}.onnx`), options)] as const),
    );
    const byName = Object.fromEntries(sessions) as Record<Graph, InferenceSession>;
    return new OnnxVoiceEncoder(byName, new SpeakerSpace(options.speakers), options.voicePrints);
  }

  async measure(samples: Float32Array): Promise<Float32Array> {
    const front = await this.#run('front', { samples: row(atLevel(samples, MEASURED_RMS)) });
    const mel = front.mel!.map((energy) => energy * (EAR_RMS / MEASURED_RMS) ** 2);
    const windows = melWindows(mel);
    const voicePrint = await this.#voicePrints.print(xVectorFrames(front.cepstra!));
    const { embeddings } = await this.#run('ear', {
      windows: new Tensor('float32', windows.values, [windows.count, 160, 40]),
    });
    const measures = new Float32Array(MEASURES.count);
    measures.set(voicePrint, MEASURES.xVector.from);
    measures.set(meanDirection(embeddings!, windows.count), MEASURES.ear.from);
    measures.set(longTermSpectrum(mel), MEASURES.spectrum.from);
    const pitch = pitchStatistics(front.low!);
    measures[MEASURES.pitch.from] = pitch.log2Hz;
    measures[MEASURES.pitchRange.from] = pitch.rangeOctaves;
    return measures;
  }

  async find(target: Float32Array): Promise<Float32Array> {
    const { coordinates } = await this.#run('encoder', { measures: row(target) });
    const found = await this.#descend(coordinates!, { target, ...SEARCH });
    return this.#space.toVector(found);
  }

  async genderOf(measures: Float32Array): Promise<'female' | 'male'> {
    return (await this.#femininity(measures)) > 0 ? 'female' : 'male';
  }

  async traitsOf(measures: Float32Array): Promise<VoiceTraits> {
    return { femininity: await this.#femininity(measures), ...readTraits(measures) };
  }

  /** What a voice that was never heard should be like. */
  async expectedTraits(vector: Float32Array): Promise<VoiceTraits> {
    const target = new Float32Array(MEASURES.count);
    const { predicted } = await this.#listen(this.#space.toCoordinates(vector), { target, pull: 0 });
    return this.traitsOf(predicted!);
  }

  async correct(target: Float32Array, trial: Trial, caution: number): Promise<Float32Array> {
    const start = this.#space.toCoordinates(trial.vector);
    const bias = await this.#biasOf(start, trial.measures);
    const anchorPull = CORRECTION.anchorPull * caution;
    const found = await this.#descend(start, { target, bias, anchor: start, ...CORRECTION, anchorPull });
    return this.#space.toVector(found);
  }

  async tune(target: Float32Array, trial: Trial, other?: Trial): Promise<Float32Array> {
    const between = other === undefined ? undefined : pitchBetween(target, trial, other);
    if (between !== undefined) return between;
    return this.correct(withPitch(trial.measures, 2 ** target[MEASURES.pitch.from]!), trial, 1);
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#sessions).map((session) => session.release()));
    await this.#voicePrints.close();
  }

  async #femininity(measures: Float32Array): Promise<number> {
    const { gender } = await this.#run('encoder', { measures: row(measures) });
    return gender![0]!;
  }

  /** What a trial showed beyond what was expected. Expected embeddings are shorter than measured ones. */
  async #biasOf(voice: Float32Array, measured: Float32Array): Promise<Float32Array> {
    const { predicted } = await this.#listen(voice, { target: measured, pull: 0 });
    const bias = Float32Array.from(measured);
    for (const group of [MEASURES.xVector, MEASURES.ear]) {
      const length = Math.hypot(...predicted!.subarray(group.from, group.to));
      for (let index = group.from; index < group.to; index++) bias[index]! *= length;
    }
    return bias.map((value, index) => value - predicted![index]!);
  }

  /**
   * Goes down the slope with momentum, in steps whose length shrinks to nothing. The length does not depend on how
   * steep it is, nor on the axes of the space.
   */
  async #descend(
    start: Float32Array,
    search: ListenInput & { readonly steps: number; readonly rate: number },
  ): Promise<Float32Array> {
    const voice = Float32Array.from(start);
    const momentum = new Float64Array(voice.length);
    let squaredSlope = 0;
    for (let step = 0; step < search.steps; step++) {
      const gradient = (await this.#listen(voice, search)).gradient!;
      const warmUp = 1 - MEMORY ** (step + 1);
      squaredSlope = MEMORY * squaredSlope + (1 - MEMORY) * meanSquare(gradient);
      const rate = (search.rate * (1 - step / search.steps)) / warmUp;
      const scale = rate / (Math.sqrt(squaredSlope / warmUp) + 1e-8);
      for (let index = 0; index < voice.length; index++) {
        momentum[index] = MEMORY * momentum[index]! + (1 - MEMORY) * gradient[index]!;
        voice[index]! -= scale * momentum[index]!;
      }
    }
    return voice;
  }

  #listen(voice: Float32Array, { target, bias, anchor, pull, anchorPull }: ListenInput) {
    return this.#run('listener', {
      voice: row(voice),
      target: row(target),
      bias: row(bias ?? new Float32Array(MEASURES.count)),
      pull: row(Float32Array.of(pull, anchorPull ?? 0)),
      anchor: row(anchor ?? new Float32Array(voice.length)),
    });
  }

  async #run(graph: Graph, feeds: Record<string, Tensor>): Promise<Record<string, Float32Array>> {
    const outputs = await this.#sessions[graph].run(feeds);
    return Object.fromEntries(
      Object.entries(outputs).map(([name, { data }]) => [name, data as Float32Array]),
    );
  }
}

interface ListenInput {
  readonly target: Float32Array;
  /** How much the squared distance from the mean voice counts. */
  readonly pull: number;
  readonly bias?: Float32Array;
  readonly anchor?: Float32Array;
  /** How much the squared distance from the anchor counts. */
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
