import { readFile } from 'node:fs/promises';
import type { TtsEngineContext } from '../../../domain/engines/tts-engine.ts';
import { flattenDepthwiseConvolutions } from '../onnx/depthwise-convolutions.ts';
import { floatOutput } from '../onnx/float-output.ts';
import { readModel, writeModel } from '../onnx/model.ts';
import { type InferenceSession, Tensor } from '../onnx/onnxruntime.ts';
import { openSession } from '../onnx/session.ts';
import { type Features, sliceFeatures } from './features.ts';

/** Features of an utterance with the duration of every token. */
export interface FrontResult extends Features {
  /** Frames of each input token, including the pads at both ends. */
  readonly tokenFrames: Int32Array;
}

/** The features from a token on (pads not counted). The preceding token takes the place of the leading pad. */
export function featuresFrom(front: FrontResult, token: number): FrontResult {
  if (token === 0) return front;
  // The leading pad shifts every token by one, so this is the start of the preceding token.
  const from = front.tokenFrames.subarray(0, token).reduce((sum, frames) => sum + frames, 0);
  return { ...sliceFeatures(front, from, front.frames), tokenFrames: front.tokenFrames.slice(token) };
}

/** Opens the front, a network of this project. It is too small for more than one thread. */
export async function loadFront(context: TtsEngineContext): Promise<KokoroFront> {
  const model = readModel(await readFile(context.asset('front/front-int8.onnx')));
  return new KokoroFront(await openSession(writeModel(flattenDepthwiseConvolutions(model)), { threads: 1 }));
}

/** The first half of Kokoro: tokens to durations, text features, pitch and energy. */
export class KokoroFront {
  readonly #session: InferenceSession;

  constructor(session: InferenceSession) {
    this.#session = session;
  }

  /** `tokens` excludes the pads; `style` is the voice's style row of 256 values. */
  async run(tokens: readonly number[], style: Float32Array, speed: number): Promise<FrontResult> {
    const padded = BigInt64Array.from([0, ...tokens, 0], BigInt);
    const outputs = await this.#session.run({
      input_ids: new Tensor('int64', padded, [1, padded.length]),
      style: new Tensor('float32', style, [1, style.length]),
      speed: new Tensor('float32', Float32Array.of(speed), [1]),
    });
    const tokenFrames = Int32Array.from(floatOutput(outputs, 'durations'));
    return {
      frames: tokenFrames.reduce((sum, count) => sum + count, 0),
      asr: floatOutput(outputs, 'asr'),
      f0: floatOutput(outputs, 'pitch'),
      energy: floatOutput(outputs, 'energy'),
      tokenFrames,
    };
  }

  close(): Promise<void> {
    return this.#session.release();
  }
}
