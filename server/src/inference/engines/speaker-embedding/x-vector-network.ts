import { readFile, writeFile } from 'node:fs/promises';
import type { AsrEngineContext } from '../../../domain/engines/asr-engine.ts';
import { floatOutput } from '../onnx/float-output.ts';
import { writeModel } from '../onnx/model.ts';
import { type InferenceSession, Tensor } from '../onnx/onnxruntime.ts';
import { openSession } from '../onnx/session.ts';
import { KaldiNetwork, readKaldiMatrix, readKaldiTextVector } from './kaldi-network.ts';
import type { Whitening } from './phrase-graphs.ts';
import { buildXVectorModel, CEPSTRA_PER_FRAME } from './x-vector-graph.ts';

/** Model id in the catalogue. A public name (installed models, `mynah models`), so it keeps the former term. */
export const SPEAKER_EMBEDDING_MODEL = 'voice-print';

/** Version of the derived ONNX file. */
const NETWORK_VERSION = 2;

/** The x-vector network: cepstra of speech to a speaker embedding. */
export class XVectorNetwork {
  readonly #session: InferenceSession;
  readonly #whitening: Whitening;

  private constructor(session: InferenceSession, whitening: Whitening) {
    this.#session = session;
    this.#whitening = whitening;
  }

  /** Opens the network. The first call derives an ONNX file from the Kaldi weights. */
  static async open(context: AsrEngineContext): Promise<XVectorNetwork> {
    const path = await context.derive(
      SPEAKER_EMBEDDING_MODEL,
      'network.onnx',
      NETWORK_VERSION,
      async (target) => {
        await writeFile(target, writeModel(buildXVectorModel(await readKaldiNetwork(context))));
      },
    );
    const whitening = await readWhitening(context);
    const session = await openSession(path, { threads: context.threads });
    return new XVectorNetwork(session, whitening);
  }

  /** The embedding, of unit length, of cepstra in frame order. */
  async embed(cepstra: Float32Array): Promise<Float32Array> {
    const outputs = await this.#session.run({ cepstra: toInput(cepstra) });
    return whiten(floatOutput(outputs, 'embedding'), this.#whitening);
  }

  close(): Promise<void> {
    return this.#session.release();
  }
}

/** The network as it was trained. */
export async function readKaldiNetwork(context: AsrEngineContext): Promise<KaldiNetwork> {
  return new KaldiNetwork(await readFile(await context.file(SPEAKER_EMBEDDING_MODEL, 'final.ext.raw')));
}

export async function readWhitening(context: AsrEngineContext): Promise<Whitening> {
  const read = async (name: string) => readFile(await context.file(SPEAKER_EMBEDDING_MODEL, name));
  const mean = readKaldiTextVector((await read('mean.vec')).toString('utf8'));
  const { weights } = readKaldiMatrix(await read('transform.mat'));
  return { mean, weights };
}

/** Cepstra in frame order as the input of a network. */
export function toInput(cepstra: Float32Array): Tensor {
  const frames = cepstra.length / CEPSTRA_PER_FRAME;
  const values = new Float32Array(cepstra.length);
  for (let frame = 0; frame < frames; frame++) {
    for (let k = 0; k < CEPSTRA_PER_FRAME; k++) {
      values[k * frames + frame] = cepstra[frame * CEPSTRA_PER_FRAME + k]!;
    }
  }
  return new Tensor('float32', values, [1, CEPSTRA_PER_FRAME, frames]);
}

function whiten(raw: Float32Array, { mean, weights }: Whitening): Float32Array {
  const centred = raw.map((value, index) => value - mean[index]!);
  const transformed = raw.map((_, row) =>
    centred.reduce((sum, value, column) => sum + value * weights[row * raw.length + column]!, 0),
  );
  const length = Math.sqrt(transformed.reduce((sum, value) => sum + value ** 2, 0)) || 1;
  return transformed.map((value) => value / length);
}
