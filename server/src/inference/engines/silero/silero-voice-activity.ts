import { readFile, writeFile } from 'node:fs/promises';
import { type InferenceSession, Tensor } from 'onnxruntime-node';
import {
  type AsrEngineContext,
  VAD_FRAME_SAMPLES,
  type VadModel,
  type VadStream,
} from '../../../domain/engines/asr-engine.ts';
import { readModel, writeModel } from '../onnx/model.ts';
import { openSession } from '../onnx/session.ts';
import { foldSpectra } from './folded-spectra.ts';
import {
  EVEN_TAPS,
  ODD_TAPS,
  PORT,
  SPECTRA_PER_FRAME,
  STATE_WIDTH,
  toFrameSequence,
} from './frame-sequence.ts';

/** Changes when the making of the sequence model changes. */
const SEQUENCE_VERSION = 2;
/** Samples of the last frame that the model sees before each frame. */
const CONTEXT_SAMPLES = 64;
const WINDOW_SAMPLES = CONTEXT_SAMPLES + VAD_FRAME_SAMPLES;
/** Two seconds; more at once gains nothing. */
const FRAMES_AT_ONCE_MAX = 64;

/** Silero VAD, version 5. */
export class SileroVoiceActivity implements VadModel {
  readonly #session: InferenceSession;

  constructor(session: InferenceSession) {
    this.#session = session;
  }

  open(): VadStream {
    return new SileroStream(this.#session);
  }

  async close(): Promise<void> {
    await this.#session.release();
  }
}

class SileroStream implements VadStream {
  readonly #session: InferenceSession;
  /** The context of the next frame, then what came and fills no frame yet. */
  #held = new Float32Array(CONTEXT_SAMPLES);
  #hidden = emptyState();
  #cell = emptyState();

  constructor(session: InferenceSession) {
    this.#session = session;
  }

  async push(samples: Float32Array): Promise<Float32Array> {
    const sound = new Float32Array(this.#held.length + samples.length);
    sound.set(this.#held);
    sound.set(samples, this.#held.length);
    const frames = Math.floor((sound.length - CONTEXT_SAMPLES) / VAD_FRAME_SAMPLES);
    const probabilities = new Float32Array(frames);
    for (let frame = 0; frame < frames; frame += FRAMES_AT_ONCE_MAX) {
      const count = Math.min(FRAMES_AT_ONCE_MAX, frames - frame);
      const from = frame * VAD_FRAME_SAMPLES;
      const part = sound.subarray(from, from + count * VAD_FRAME_SAMPLES + CONTEXT_SAMPLES);
      probabilities.set(await this.#judge(part, count), frame);
    }
    this.#held = sound.slice(frames * VAD_FRAME_SAMPLES);
    return probabilities;
  }

  async flush(): Promise<Float32Array> {
    const missing = WINDOW_SAMPLES - this.#held.length;
    return missing === VAD_FRAME_SAMPLES ? new Float32Array(0) : this.push(new Float32Array(missing));
  }

  /** The probabilities of frames that follow each other; each is seen with the end of the one before. */
  async #judge(sound: Float32Array, frames: number): Promise<Float32Array> {
    const { even, odd } = foldSpectra(sound, {
      windows: frames,
      windowSamples: WINDOW_SAMPLES,
      hopSamples: VAD_FRAME_SAMPLES,
    });
    const rows = frames * SPECTRA_PER_FRAME;
    const outputs = await this.#session.run({
      [PORT.even]: new Tensor('float32', even, [rows, EVEN_TAPS]),
      [PORT.odd]: new Tensor('float32', odd, [rows, ODD_TAPS]),
      [PORT.hidden]: this.#hidden,
      [PORT.cell]: this.#cell,
    });
    this.#hidden = outputs[PORT.nextHidden] as Tensor;
    this.#cell = outputs[PORT.nextCell] as Tensor;
    return outputs[PORT.probabilities]!.data as Float32Array;
  }
}

function emptyState(): Tensor {
  return new Tensor('float32', new Float32Array(STATE_WIDTH), [1, 1, STATE_WIDTH]);
}

/** Loads the model of voice activity. */
export async function loadSilero(context: AsrEngineContext): Promise<VadModel> {
  const path = await context.derive('silero-vad', 'sequence.onnx', SEQUENCE_VERSION, async (target) => {
    const model = readModel(await readFile(await context.file('silero-vad', 'model.onnx')));
    await writeFile(target, writeModel(toFrameSequence(model)));
  });
  // Two seconds of frames are far too little work to share between threads.
  return new SileroVoiceActivity(await openSession(path, { threads: 1 }));
}
