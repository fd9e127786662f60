import { type InferenceSession, Tensor } from 'onnxruntime-node';
import {
  type AsrContext,
  HEARING_RATE_HZ,
  VOICE_FRAME_SAMPLES,
  type VoiceActivity,
  type VoiceActivityStream,
} from '../asr-engine.ts';
import { openSession } from '../session.ts';

/** Samples of the last frame that the model sees before each frame. */
const CONTEXT_SAMPLES = 64;
const STATE_WIDTH = 128;

/** Silero VAD, version 5. */
export class SileroVoiceActivity implements VoiceActivity {
  readonly #session: InferenceSession;

  constructor(session: InferenceSession) {
    this.#session = session;
  }

  open(): VoiceActivityStream {
    return new SileroStream(this.#session);
  }

  async close(): Promise<void> {
    await this.#session.release();
  }
}

class SileroStream implements VoiceActivityStream {
  readonly #session: InferenceSession;
  readonly #rate = new Tensor('int64', BigInt64Array.of(BigInt(HEARING_RATE_HZ)), []);
  /** The context, then the frame that is being filled. */
  readonly #window = new Float32Array(CONTEXT_SAMPLES + VOICE_FRAME_SAMPLES);
  #state: Tensor = new Tensor('float32', new Float32Array(2 * STATE_WIDTH), [2, 1, STATE_WIDTH]);
  #filled = 0;

  constructor(session: InferenceSession) {
    this.#session = session;
  }

  async push(samples: Float32Array): Promise<Float32Array> {
    const probabilities = new Float32Array(Math.floor((this.#filled + samples.length) / VOICE_FRAME_SAMPLES));
    let taken = 0;
    for (let frame = 0; frame < probabilities.length; frame++) {
      taken += this.#fill(samples.subarray(taken, taken + VOICE_FRAME_SAMPLES - this.#filled));
      probabilities[frame] = await this.#next();
    }
    this.#fill(samples.subarray(taken));
    return probabilities;
  }

  async flush(): Promise<Float32Array> {
    if (this.#filled === 0) return new Float32Array(0);
    this.#window.fill(0, CONTEXT_SAMPLES + this.#filled);
    return Float32Array.of(await this.#next());
  }

  #fill(samples: Float32Array): number {
    this.#window.set(samples, CONTEXT_SAMPLES + this.#filled);
    this.#filled += samples.length;
    return samples.length;
  }

  async #next(): Promise<number> {
    const window = this.#window;
    const input = new Tensor('float32', window, [1, window.length]);
    const outputs = await this.#session.run({ input, state: this.#state, sr: this.#rate });
    this.#state = outputs.stateN as Tensor;
    window.copyWithin(0, VOICE_FRAME_SAMPLES);
    this.#filled = 0;
    return (outputs.output!.data as Float32Array)[0]!;
  }
}

/** Loads the model of voice activity. */
export async function loadSilero(context: AsrContext): Promise<VoiceActivity> {
  // One frame is far too little work to share between threads.
  const path = await context.file('silero-vad', 'model.onnx');
  return new SileroVoiceActivity(await openSession(path, { threads: 1 }));
}
