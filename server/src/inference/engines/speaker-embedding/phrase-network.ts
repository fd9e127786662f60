import { writeFile } from 'node:fs/promises';
import type { AsrEngineContext, PhraseEmbedder, TimeRange } from '../../../domain/engines/asr-engine.ts';
import { floatOutput } from '../onnx/float-output.ts';
import { type OnnxModel, writeModel } from '../onnx/model.ts';
import { type InferenceSession, Tensor } from '../onnx/onnxruntime.ts';
import { openSession } from '../onnx/session.ts';
import { CEPSTRA_HOP_SECONDS, type SpeechCepstra } from './cepstra.ts';
import type { KaldiNetwork } from './kaldi-network.ts';
import { BLOCK_FRAMES, buildFrameModel, buildPoolingModel } from './phrase-graphs.ts';
import { CONTEXT_FRAMES, X_VECTOR_SIZE } from './x-vector-graph.ts';
import { readKaldiNetwork, readWhitening, SPEAKER_EMBEDDING_MODEL, toInput } from './x-vector-network.ts';

/** Version of the derived ONNX files. */
const NETWORK_VERSION = 1;
/** Shorter speech gives no usable embedding. */
const BLOCKS_MIN = 6;

/** The x-vector network for many overlapping ranges of a phrase: the layers of its frames are computed once. */
export class PhraseNetwork {
  readonly #frames: InferenceSession;
  readonly #pooling: InferenceSession;

  private constructor(frames: InferenceSession, pooling: InferenceSession) {
    this.#frames = frames;
    this.#pooling = pooling;
  }

  static async load(context: AsrEngineContext): Promise<PhraseNetwork> {
    const whitening = await readWhitening(context);
    const open = async (name: string, build: (network: KaldiNetwork) => OnnxModel) => {
      const path = await context.derive(SPEAKER_EMBEDDING_MODEL, name, NETWORK_VERSION, async (target) =>
        writeFile(target, writeModel(build(await readKaldiNetwork(context)))),
      );
      return openSession(path, { threads: context.threads });
    };
    return new PhraseNetwork(
      await open('frames.onnx', buildFrameModel),
      await open('pooling.onnx', (network) => buildPoolingModel(network, whitening)),
    );
  }

  /** Computes the time-delay layers for all frames of a phrase. */
  async open({ values, positions }: SpeechCepstra): Promise<PhraseEmbedder> {
    const blocks = Math.floor((positions.length - 2 * CONTEXT_FRAMES) / BLOCK_FRAMES);
    if (blocks < BLOCKS_MIN) return { embed: async (ranges) => ranges.map(() => undefined) };
    const outputs = await this.#frames.run({ cepstra: toInput(values) });
    const asRows = (name: string) => {
      const data = floatOutput(outputs, name);
      return new Tensor('float32', data, [data.length / blocks, blocks]);
    };
    const statistics = { means: asRows('means'), 'mean-squares': asRows('mean-squares') };
    const centresSeconds = Array.from({ length: blocks }, (_, block) => {
      const frame = CONTEXT_FRAMES + block * BLOCK_FRAMES + (BLOCK_FRAMES - 1) / 2;
      return positions[frame]! * CEPSTRA_HOP_SECONDS;
    });
    return { embed: (ranges) => this.#embed(statistics, centresSeconds, ranges) };
  }

  async #embed(
    statistics: Readonly<Record<string, Tensor>>,
    centresSeconds: readonly number[],
    ranges: readonly TimeRange[],
  ): Promise<(readonly number[] | undefined)[]> {
    if (ranges.length === 0) return [];
    const blocks = centresSeconds.length;
    const shares = new Float32Array(ranges.length * blocks);
    const counts = ranges.map(({ startSeconds, endSeconds }, row) => {
      const first = firstFrom(centresSeconds, startSeconds);
      const end = firstFrom(centresSeconds, endSeconds);
      shares.fill(1 / (end - first), row * blocks + first, row * blocks + end);
      return end - first;
    });
    const outputs = await this.#pooling.run({
      ...statistics,
      shares: new Tensor('float32', shares, [ranges.length, blocks]),
    });
    const embeddings = floatOutput(outputs, 'embeddings');
    return counts.map((count, row) =>
      count < BLOCKS_MIN
        ? undefined
        : unitLength(embeddings.subarray(row * X_VECTOR_SIZE, (row + 1) * X_VECTOR_SIZE)),
    );
  }

  async close(): Promise<void> {
    await Promise.all([this.#frames.release(), this.#pooling.release()]);
  }
}

/** Index of the first time at or after `seconds`; the number of times if there is none. */
function firstFrom(times: readonly number[], seconds: number): number {
  const index = times.findIndex((time) => time >= seconds);
  return index < 0 ? times.length : index;
}

/** Four digits exceed the discrimination of the model; a two-hour recording has many embeddings. */
function unitLength(values: Float32Array): number[] {
  const length = Math.sqrt(values.reduce((sum, value) => sum + value ** 2, 0)) || 1;
  return Array.from(values, (value) => Math.round((value / length) * 1e4) / 1e4);
}
