import { type InferenceSession, Tensor } from 'onnxruntime-node';
import type { EngineContext } from '../../../domain/engines/tts-engine.ts';
import { openSession, optimized } from '../onnx/session.ts';
import { type Features, sliceFeatures } from './features.ts';
import { CUT_VERSION, cutTiming, MODEL, SEAMS } from './graph.ts';

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

/** The half of the style row that carries prosody; the other half (timbre) is for the decoder. */
const PROSODY_FROM = 128;

/** Opens the front: the official file's own timing and text features between two networks that we trained. */
export async function loadFront(context: EngineContext): Promise<KokoroFront> {
  const options = { threads: context.threads, isOptimized: true };
  const model = await context.file(MODEL, 'model.onnx');
  const path = await context.derive(MODEL, 'timing.onnx', CUT_VERSION, (to) => cutTiming(model, to));
  const timing = await optimized(context, { id: MODEL, name: 'timing', version: CUT_VERSION, path });
  return new KokoroFront({
    reader: await openSession(context.asset('fast-front/reader-int8.onnx'), options),
    timing: await openSession(timing, options),
    melody: await openSession(context.asset('fast-front/melody-int8.onnx'), options),
  });
}

interface FrontSessions {
  /** Tokens to what ALBERT would make of them. */
  readonly reader: InferenceSession;
  /** That to durations and features. */
  readonly timing: InferenceSession;
  /** Features to pitch and energy. */
  readonly melody: InferenceSession;
}

/** The first half of Kokoro: what is said, when, how high and how loud. */
export class KokoroFront {
  readonly #sessions: FrontSessions;

  constructor(sessions: FrontSessions) {
    this.#sessions = sessions;
  }

  /** `tokens` come without the pads; `style` is the voice's row of 256 numbers. */
  async run(tokens: readonly number[], style: Float32Array, speed: number): Promise<FrontResult> {
    const { reader, timing, melody } = this.#sessions;
    const padded = BigInt64Array.from([0, ...tokens, 0], BigInt);
    const ids = new Tensor('int64', padded, [1, padded.length]);
    const { read } = await reader.run({ input_ids: ids });
    const timed = await timing.run({
      input_ids: ids,
      style: new Tensor('float32', style, [1, style.length]),
      speed: new Tensor('float32', Float32Array.of(speed), [1]),
      [SEAMS.read]: read!,
    });
    const prosody = style.slice(PROSODY_FROM);
    const { pitch, energy } = await melody.run({
      said: timed[SEAMS.said]!,
      prosody: new Tensor('float32', prosody, [1, prosody.length]),
    });
    // The model never gives a token less than one frame; the clipping node stands behind our cut.
    const tokenFrames = Int32Array.from(floats(timed[SEAMS.durations]), (frames) =>
      Math.max(1, Math.round(frames)),
    );
    return {
      frames: tokenFrames.reduce((sum, count) => sum + count, 0),
      asr: floats(timed[SEAMS.asr]),
      f0: floats(pitch),
      energy: floats(energy),
      tokenFrames,
    };
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#sessions).map((session: InferenceSession) => session.release()));
  }
}

function floats(tensor: Tensor | undefined): Float32Array {
  if (!(tensor?.data instanceof Float32Array)) throw new TypeError('The front gave no float tensor.');
  return tensor.data;
}
