import { readFile } from 'node:fs/promises';
import { traced } from '../../../tracing/tracing.ts';
import { floatOutput } from '../onnx/float-output.ts';
import { type InferenceSession, Tensor } from '../onnx/onnxruntime.ts';
import { openSession } from '../onnx/session.ts';
import { DURATION_NOISE_CHANNELS, PORT } from './cut-graph.ts';
import type { Frames } from './frames.ts';
import type { OpenedVits, VitsShape } from './open-graph.ts';

/** Input of the front. */
export interface FrontInput {
  readonly ids: readonly number[];
  readonly speaker: Float32Array;
  /** Factor on all durations. */
  readonly lengthScale: number;
  readonly durationNoiseScale: number;
  /** Fills an array with Gaussian noise. */
  readonly fillNoise: (values: Float32Array) => void;
}

/** Output of the front: duration and latent prior of every token. */
export interface FrontResult {
  readonly tokenFrames: Int32Array;
  /** Mean and log deviation; one value per channel and token. */
  readonly mean: Frames;
  readonly logScale: Frames;
}

interface Sessions {
  readonly front: InferenceSession;
  readonly flow: InferenceSession;
  readonly decoder: InferenceSession;
}

/** The three networks of an opened model. Stateless. */
export class VitsModel {
  readonly shape: VitsShape;
  readonly #sessions: Sessions;
  readonly #speakers: Float32Array;

  private constructor(shape: VitsShape, sessions: Sessions, speakers: Float32Array) {
    this.shape = shape;
    this.#sessions = sessions;
    this.#speakers = speakers;
  }

  static async open(opened: OpenedVits, options: { readonly threads: number }): Promise<VitsModel> {
    const { shape } = opened;
    const speakers = await readSpeakers(opened);
    const [front, flow, decoder] = await Promise.all(
      [opened.frontPath, opened.flowPath, opened.decoderPath].map((path) => openSession(path, options)),
    );
    return new VitsModel(shape, { front: front!, flow: flow!, decoder: decoder! }, speakers);
  }

  /** The vector of a training speaker; empty for a single-speaker model. */
  speaker(row: number): Float32Array {
    const { speakerSize } = this.shape;
    return this.#speakers.slice(row * speakerSize, (row + 1) * speakerSize);
  }

  async runFront(input: FrontInput): Promise<FrontResult> {
    const { latentChannels, hasDurationNoise } = this.shape;
    const count = input.ids.length;
    const feeds: Record<string, Tensor> = {
      [PORT.ids]: new Tensor('int64', BigInt64Array.from(input.ids, BigInt), [1, count]),
      [PORT.idCount]: new Tensor('int64', BigInt64Array.of(BigInt(count)), [1]),
      [PORT.scales]: new Tensor(
        'float32',
        Float32Array.of(0, input.lengthScale, input.durationNoiseScale),
        [3],
      ),
      ...this.#speakerFeed(input.speaker),
    };
    if (hasDurationNoise) {
      const noise = new Float32Array(DURATION_NOISE_CHANNELS * count);
      input.fillNoise(noise);
      feeds[PORT.durationNoise] = new Tensor('float32', noise, [1, DURATION_NOISE_CHANNELS, count]);
    }
    const outputs = await traced('engine.front', () => this.#sessions.front.run(feeds));
    const perId = (name: string): Frames => ({
      channels: latentChannels,
      length: count,
      values: floatOutput(outputs, name),
    });
    return {
      tokenFrames: Int32Array.from(floatOutput(outputs, PORT.durations)),
      mean: perId(PORT.mean),
      logScale: perId(PORT.logScale),
    };
  }

  /** From the drawn prior to the latent. */
  async runFlow(prior: Frames, speaker: Float32Array): Promise<Frames> {
    const outputs = await this.#sessions.flow.run({
      [PORT.prior]: frameTensor(prior),
      // The flow only needs the total length, so one long token suffices.
      [PORT.durations]: new Tensor('float32', Float32Array.of(prior.length), [1, 1, 1]),
      ...this.#speakerFeed(speaker),
    });
    return { ...prior, values: floatOutput(outputs, PORT.latent) };
  }

  /** From the latent to `samplesPerFrame` samples for each of its frames. */
  async runDecoder(latent: Frames, speaker: Float32Array): Promise<Float32Array> {
    const outputs = await this.#sessions.decoder.run({
      [PORT.latent]: frameTensor(latent),
      ...this.#speakerFeed(speaker),
    });
    return floatOutput(outputs, PORT.samples);
  }

  async close(): Promise<void> {
    const { front, flow, decoder } = this.#sessions;
    await Promise.all([front, flow, decoder].map((session) => session.release()));
  }

  #speakerFeed(speaker: Float32Array): Record<string, Tensor> {
    if (this.shape.speakerCount === 0) return {};
    return { [PORT.speaker]: new Tensor('float32', speaker, [1, this.shape.speakerSize]) };
  }
}

/** The concatenated vectors of all speakers; empty for a single-speaker model. */
export async function readSpeakers({ speakersPath, shape }: OpenedVits): Promise<Float32Array> {
  if (speakersPath === undefined) return new Float32Array();
  const bytes = await readFile(speakersPath);
  const count = shape.speakerCount * shape.speakerSize;
  if (bytes.length !== count * Float32Array.BYTES_PER_ELEMENT) {
    throw new Error(`The speaker table ${speakersPath} is damaged; delete it to have it derived again.`);
  }
  // Copied, because the buffer of a file may not be aligned to four bytes.
  return new Float32Array(Uint8Array.from(bytes).buffer);
}

function frameTensor(frames: Frames): Tensor {
  return new Tensor('float32', frames.values, [1, frames.channels, frames.length]);
}
