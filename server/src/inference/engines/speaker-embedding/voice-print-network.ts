import { readFile, writeFile } from 'node:fs/promises';
import { type InferenceSession, Tensor } from 'onnxruntime-node';
import type { AsrEngineContext } from '../../../domain/engines/asr-engine.ts';
import { writeModel } from '../onnx/model.ts';
import { openSession } from '../onnx/session.ts';
import { KaldiNetwork, readKaldiMatrix, readKaldiTextVector } from './kaldi-network.ts';
import { buildVoicePrintModel, CEPSTRA_PER_FRAME } from './voice-print-graph.ts';

/** The model that knows voices, by its id in the catalogue. */
export const VOICE_PRINT_MODEL = 'voice-print';

/** The x-vector network: turns the cepstra of speech into what sets its voice apart. */
export class VoicePrintNetwork {
  readonly #session: InferenceSession;
  readonly #whitening: Whitening;

  private constructor(session: InferenceSession, whitening: Whitening) {
    this.#session = session;
    this.#whitening = whitening;
  }

  /** Opens it. The first time, it is written as ONNX beside the weights. */
  static async open(context: AsrEngineContext): Promise<VoicePrintNetwork> {
    const file = (name: string) => context.file(VOICE_PRINT_MODEL, name);
    const path = await context.derive(VOICE_PRINT_MODEL, 'network.onnx', 1, async (target) => {
      const network = new KaldiNetwork(await readFile(await file('final.ext.raw')));
      await writeFile(target, writeModel(buildVoicePrintModel(network)));
    });
    const mean = readKaldiTextVector(await readFile(await file('mean.vec'), 'utf8'));
    const { weights } = readKaldiMatrix(await readFile(await file('transform.mat')));
    const session = await openSession(path, { threads: context.threads });
    return new VoicePrintNetwork(session, { mean, weights });
  }

  /** The print of unit length of cepstra that are given frame by frame. */
  async print(cepstra: Float32Array): Promise<Float32Array> {
    const frames = cepstra.length / CEPSTRA_PER_FRAME;
    const byCepstrum = new Float32Array(cepstra.length);
    for (let frame = 0; frame < frames; frame++) {
      for (let k = 0; k < CEPSTRA_PER_FRAME; k++) {
        byCepstrum[k * frames + frame] = cepstra[frame * CEPSTRA_PER_FRAME + k]!;
      }
    }
    const { print } = await this.#session.run({
      cepstra: new Tensor('float32', byCepstrum, [1, CEPSTRA_PER_FRAME, frames]),
    });
    return whitened(print!.data as Float32Array, this.#whitening);
  }

  close(): Promise<void> {
    return this.#session.release();
  }
}

/** What makes prints of different recordings comparable: their mean is taken off, and they are turned and stretched. */
interface Whitening {
  readonly mean: Float32Array;
  readonly weights: Float32Array;
}

function whitened(raw: Float32Array, { mean, weights }: Whitening): Float32Array {
  const centred = raw.map((value, index) => value - mean[index]!);
  const turned = raw.map((_, row) =>
    centred.reduce((sum, value, column) => sum + value * weights[row * raw.length + column]!, 0),
  );
  const length = Math.sqrt(turned.reduce((sum, value) => sum + value ** 2, 0)) || 1;
  return turned.map((value) => value / length);
}
