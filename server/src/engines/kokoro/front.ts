import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { openSession, type SessionOptions } from '../session.ts';
import { type Features, sliceFeatures } from './features.ts';
import { FRONT_OUTPUTS } from './graph.ts';

/** Features of an utterance, with the length of every token. */
export interface FrontResult extends Features {
  /** Frames spoken for each token of the input, the pads at both ends included. */
  readonly tokenFrames: Int32Array;
}

/** The features from a token on, the pads not counted. The token before it stands for the pad in front. */
export function featuresFrom(front: FrontResult, token: number): FrontResult {
  if (token === 0) return front;
  // The pad in front moves every token by one, so this is where the token before begins.
  const from = front.tokenFrames.subarray(0, token).reduce((sum, frames) => sum + frames, 0);
  return { ...sliceFeatures(front, from, front.frames), tokenFrames: front.tokenFrames.slice(token) };
}

/** The first half of Kokoro: what is said, when, how high and how loud. */
export class KokoroFront {
  readonly #session: InferenceSession;

  private constructor(session: InferenceSession) {
    this.#session = session;
  }

  static async open(path: string, options: SessionOptions): Promise<KokoroFront> {
    return new KokoroFront(await openSession(path, options));
  }

  /** `tokens` come without the pads; `style` is the voice's row of 256 numbers. */
  async run(tokens: readonly number[], style: Float32Array, speed: number): Promise<FrontResult> {
    const padded = BigInt64Array.from([0, ...tokens, 0], BigInt);
    const outputs = await this.#session.run({
      input_ids: new Tensor('int64', padded, [1, padded.length]),
      style: new Tensor('float32', style, [1, style.length]),
      speed: new Tensor('float32', Float32Array.of(speed), [1]),
    });
    const durations = floats(outputs[FRONT_OUTPUTS.durations]);
    // The model never gives a token less than one frame; the clipping node stands behind our cut.
    const tokenFrames = Int32Array.from(durations, (frames) => Math.max(1, Math.round(frames)));
    const asr = floats(outputs[FRONT_OUTPUTS.asr]);
    const frames = tokenFrames.reduce((sum, count) => sum + count, 0);
    return {
      frames,
      asr,
      f0: floats(outputs[FRONT_OUTPUTS.f0]),
      energy: floats(outputs[FRONT_OUTPUTS.energy]),
      tokenFrames,
    };
  }

  close(): Promise<void> {
    return this.#session.release();
  }
}

function floats(tensor: Tensor | undefined): Float32Array {
  if (!(tensor?.data instanceof Float32Array)) throw new TypeError('The front gave no float tensor.');
  return tensor.data;
}
