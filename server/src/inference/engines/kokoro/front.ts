import type { TtsEngineContext } from '../../../domain/engines/tts-engine.ts';
import { floatOutput } from '../onnx/float-output.ts';
import { type InferenceSession, Tensor } from '../onnx/onnxruntime.ts';
import { deriveOptimized, openSession } from '../onnx/session.ts';
import { CUT_POINTS, CUT_VERSION, cutDurationModel, MODEL } from './cut-graph.ts';
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

/** Start of the second half of the style row (prosody); the first half (timbre) is for the decoder. */
const PROSODY_FROM = 128;

/** Opens the front: durations and text features of the official model, between two networks of this project. */
export async function loadFront(context: TtsEngineContext): Promise<KokoroFront> {
  const options = { threads: context.threads, isOptimized: true };
  const model = await context.file(MODEL, 'model.onnx');
  const path = await context.derive(MODEL, 'timing.onnx', CUT_VERSION, (to) => cutDurationModel(model, to));
  const durationModel = await deriveOptimized(context, {
    id: MODEL,
    name: 'timing',
    version: CUT_VERSION,
    path,
  });
  return new KokoroFront({
    textEncoder: await openSession(context.asset('fast-front/reader-int8.onnx'), options),
    durationModel: await openSession(durationModel, options),
    prosodyModel: await openSession(context.asset('fast-front/melody-int8.onnx'), options),
  });
}

interface FrontSessions {
  /** Tokens to text encodings; replaces ALBERT (`reader-int8.onnx`). */
  readonly textEncoder: InferenceSession;
  /** Text encodings to durations and features (`timing.onnx`). */
  readonly durationModel: InferenceSession;
  /** Features to pitch and energy (`melody-int8.onnx`). */
  readonly prosodyModel: InferenceSession;
}

/** The first half of Kokoro: tokens to durations, text features, pitch and energy. */
export class KokoroFront {
  readonly #sessions: FrontSessions;

  constructor(sessions: FrontSessions) {
    this.#sessions = sessions;
  }

  /** `tokens` excludes the pads; `style` is the voice's style row of 256 values. */
  async run(tokens: readonly number[], style: Float32Array, speed: number): Promise<FrontResult> {
    const { textEncoder, durationModel, prosodyModel } = this.#sessions;
    const padded = BigInt64Array.from([0, ...tokens, 0], BigInt);
    const ids = new Tensor('int64', padded, [1, padded.length]);
    const { read } = await textEncoder.run({ input_ids: ids });
    const durationOutputs = await durationModel.run({
      input_ids: ids,
      style: new Tensor('float32', style, [1, style.length]),
      speed: new Tensor('float32', Float32Array.of(speed), [1]),
      [CUT_POINTS.textEncoding]: read!,
    });
    const prosody = style.slice(PROSODY_FROM);
    const prosodyOutputs = await prosodyModel.run({
      said: durationOutputs[CUT_POINTS.prosodyFeatures]!,
      prosody: new Tensor('float32', prosody, [1, prosody.length]),
    });
    // The model's own limit of one frame per token lies after the cut.
    const tokenFrames = Int32Array.from(floatOutput(durationOutputs, CUT_POINTS.durations), (frames) =>
      Math.max(1, Math.round(frames)),
    );
    return {
      frames: tokenFrames.reduce((sum, count) => sum + count, 0),
      asr: floatOutput(durationOutputs, CUT_POINTS.asr),
      f0: floatOutput(prosodyOutputs, 'pitch'),
      energy: floatOutput(prosodyOutputs, 'energy'),
      tokenFrames,
    };
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#sessions).map((session: InferenceSession) => session.release()));
  }
}
