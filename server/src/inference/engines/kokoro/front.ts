import type { TtsEngineContext } from '../../../domain/engines/tts-engine.ts';
import { LruCache } from '../../phonemizer/common/lru-cache.ts';
import { floatOutput } from '../onnx/float-output.ts';
import { type InferenceSession, Tensor } from '../onnx/onnxruntime.ts';
import { openSession } from '../onnx/session.ts';
import { openFrontNetworks } from './networks/built-networks.ts';
import { type Features, sliceFeatures, tokensOfFrames } from './networks/features.ts';
import { NORMS, TEXT_OUTPUT } from './networks/front-network.ts';

/** Styles whose values are kept. A voice has one per phoneme count; the values of one take 12 KB. */
const STYLES_MAX = 128;
/** The networks are too small for more. */
const ONE_THREAD = { threads: 1 } as const;

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

/** Opens the front, a network of this project. */
export async function loadFront(context: TtsEngineContext): Promise<KokoroFront> {
  const { style, front } = await openFrontNetworks((name) => context.asset(name));
  return new KokoroFront(await openSession(style, ONE_THREAD), await openSession(front, ONE_THREAD));
}

/** The first half of Kokoro: tokens to durations, text features, pitch and energy. */
export class KokoroFront {
  readonly #style: InferenceSession;
  readonly #front: InferenceSession;
  /** Scales and shifts of the front by the values of the style. */
  readonly #norms = new LruCache<Float32Array>(STYLES_MAX);

  /** Sessions of the networks of `readFrontNetworks`. */
  constructor(style: InferenceSession, front: InferenceSession) {
    this.#style = style;
    this.#front = front;
  }

  /** `tokens` excludes the pads; `style` is the voice's style row of 256 values. */
  async run(tokens: readonly number[], style: Float32Array, speed: number): Promise<FrontResult> {
    const padded = BigInt64Array.from([0, ...tokens, 0], BigInt);
    const norms = await this.#normsOf(style);
    const outputs = await this.#front.run({
      input_ids: new Tensor('int64', padded, [1, padded.length]),
      [NORMS]: new Tensor('float32', norms, [norms.length]),
      speed: new Tensor('float32', Float32Array.of(speed), [1]),
    });
    const tokenFrames = Int32Array.from(floatOutput(outputs, 'durations'));
    const frameTokens = tokensOfFrames(tokenFrames);
    return {
      frames: frameTokens.length,
      text: floatOutput(outputs, TEXT_OUTPUT),
      frameTokens,
      f0: floatOutput(outputs, 'pitch'),
      energy: floatOutput(outputs, 'energy'),
      tokenFrames,
    };
  }

  async #normsOf(style: Float32Array): Promise<Float32Array> {
    const key = Buffer.from(style.buffer, style.byteOffset, style.byteLength).toString('latin1');
    const known = this.#norms.get(key);
    if (known !== undefined) return known;
    const outputs = await this.#style.run({ style: new Tensor('float32', style, [1, style.length]) });
    const norms = floatOutput(outputs, NORMS);
    this.#norms.set(key, norms);
    return norms;
  }

  async close(): Promise<void> {
    await Promise.all([this.#style.release(), this.#front.release()]);
  }
}
