import { readFile, writeFile } from 'node:fs/promises';
import {
  type AsrEngineContext,
  VAD_FRAME_SAMPLES,
  type VadModel,
  type VadStream,
} from '../../../domain/engines/asr-engine.ts';
import { readModel, writeModel } from '../onnx/model.ts';
import { type InferenceSession, Tensor } from '../onnx/onnxruntime.ts';
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
import { SteadyFrames } from './steady-frames.ts';

/** Version of the derived model; increment when `toFrameSequence` changes. */
const SEQUENCE_VERSION = 2;
/** Samples of the previous frame that precede each frame in the input of the model. */
const CONTEXT_SAMPLES = 64;
const WINDOW_SAMPLES = CONTEXT_SAMPLES + VAD_FRAME_SAMPLES;
/** Two seconds; larger batches are not faster. */
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
  readonly #steady = new SteadyFrames({
    frameSamples: VAD_FRAME_SAMPLES,
    contextSamples: CONTEXT_SAMPLES,
  });
  /** The context of the next frame, followed by the samples of an incomplete frame. */
  #held = new Float32Array(CONTEXT_SAMPLES);
  #hidden = emptyState();
  #cell = emptyState();
  #lastProbability = 0;

  constructor(session: InferenceSession) {
    this.#session = session;
  }

  async push(samples: Float32Array): Promise<Float32Array> {
    const audio = new Float32Array(this.#held.length + samples.length);
    audio.set(this.#held);
    audio.set(samples, this.#held.length);
    const frames = Math.floor((audio.length - CONTEXT_SAMPLES) / VAD_FRAME_SAMPLES);
    const probabilities = new Float32Array(frames);
    for (let frame = 0; frame < frames; ) {
      const rest = audio.subarray(frame * VAD_FRAME_SAMPLES);
      const steadyCount = this.#steady.count(rest, frames - frame);
      if (this.#steady.isSettled && steadyCount > 0) {
        probabilities.fill(this.#lastProbability, frame, frame + steadyCount);
        frame += steadyCount;
        continue;
      }
      const count = Math.min(FRAMES_AT_ONCE_MAX, frames - frame);
      const part = rest.subarray(0, count * VAD_FRAME_SAMPLES + CONTEXT_SAMPLES);
      probabilities.set(await this.#run(part, count), frame);
      this.#lastProbability = probabilities[frame + count - 1]!;
      this.#steady.add(part, count);
      frame += count;
    }
    this.#held = audio.slice(frames * VAD_FRAME_SAMPLES);
    return probabilities;
  }

  async flush(): Promise<Float32Array> {
    const missing = WINDOW_SAMPLES - this.#held.length;
    return missing === VAD_FRAME_SAMPLES ? new Float32Array(0) : this.push(new Float32Array(missing));
  }

  /** The speech probabilities of consecutive frames. */
  async #run(audio: Float32Array, frames: number): Promise<Float32Array> {
    const { even, odd } = foldSpectra(audio, {
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

export async function loadSilero(context: AsrEngineContext): Promise<VadModel> {
  const path = await context.derive('silero-vad', 'sequence.onnx', SEQUENCE_VERSION, async (target) => {
    const model = readModel(await readFile(await context.file('silero-vad', 'model.onnx')));
    await writeFile(target, writeModel(toFrameSequence(model)));
  });
  // A batch of two seconds is too small to benefit from several threads.
  return new SileroVoiceActivity(await openSession(path, { threads: 1 }));
}
