import { GaussianNoise } from '../../../../audio/dsp/gaussian-noise.ts';
import { floatOutput } from '../../onnx/float-output.ts';
import { type InferenceSession, Tensor } from '../../onnx/onnxruntime.ts';
import { openSession } from '../../onnx/session.ts';
import {
  alignTextRows,
  FEATURE_ROWS,
  type Features,
  SAMPLE_RATE_HZ,
  SAMPLES_PER_FRAME,
  sliceFeatures,
} from '../networks/features.ts';
import type { DecoderInput, DecodingJob, KokoroDecoder } from './decoder.ts';
import { sliceZeroPadded } from './slice-zero-padded.ts';

/** First half of the style row (timbre); the second half (prosody) is for the front. */
const TIMBRE_SIZE = 128;
/** 0.3 s: with it a window differs from full decoding by less than -58 dB. */
const CONTEXT_FRAMES = 12;

/** Decoder trained for this project: a pulse train and noise, filtered frame by frame. See its model card. */
export class FastDecoder implements KokoroDecoder {
  readonly contextFrames = CONTEXT_FRAMES;
  readonly whisperGain = 2;
  readonly #session: InferenceSession;

  private constructor(session: InferenceSession) {
    this.#session = session;
  }

  static async open(path: string, options: { readonly threads: number }): Promise<FastDecoder> {
    return new FastDecoder(await openSession(path, options));
  }

  begin(input: DecoderInput): DecodingJob {
    const { features } = input;
    const phase = pitchPhase(features.f0);
    const noise = new UtteranceNoise(features.frames * SAMPLES_PER_FRAME, input.seed);
    const timbre = input.style.slice(0, TIMBRE_SIZE);
    return {
      decode: async (from, to) => {
        const first = from - CONTEXT_FRAMES;
        const last = to + CONTEXT_FRAMES;
        const window = sliceFeatures(features, first, last);
        const samples = await this.#run(window, {
          phase: sliceZeroPadded(phase, 2 * first, 2 * last),
          noise: noise.slice(first * SAMPLES_PER_FRAME, last * SAMPLES_PER_FRAME),
          timbre,
        });
        const offset = CONTEXT_FRAMES * SAMPLES_PER_FRAME;
        return samples.subarray(offset, offset + (to - from) * SAMPLES_PER_FRAME);
      },
    };
  }

  async #run(
    window: Features,
    input: { phase: Float32Array; noise: Float32Array; timbre: Float32Array },
  ): Promise<Float32Array> {
    const { frames } = window;
    const outputs = await this.#session.run({
      asr: new Tensor('float32', alignTextRows(window), [1, FEATURE_ROWS, frames]),
      F0: new Tensor('float32', window.f0, [1, 2 * frames]),
      N: new Tensor('float32', window.energy, [1, 2 * frames]),
      cyc: new Tensor('float32', input.phase, [1, 2 * frames]),
      style: new Tensor('float32', input.timbre, [1, TIMBRE_SIZE]),
      noise: new Tensor('float32', input.noise, [1, frames * SAMPLES_PER_FRAME]),
    });
    return floatOutput(outputs, 'wav');
  }

  close(): Promise<void> {
    return this.#session.release();
  }
}

/** The noise of one utterance. It is drawn on demand, which shortens the time to the first window. */
class UtteranceNoise {
  readonly #values: Float32Array;
  readonly #source: GaussianNoise;
  #drawn = 0;

  constructor(length: number, seed: number) {
    this.#values = new Float32Array(length);
    this.#source = new GaussianNoise(seed);
  }

  slice(from: number, to: number): Float32Array {
    const last = Math.min(to, this.#values.length);
    if (last > this.#drawn) {
      this.#source.fill(this.#values.subarray(this.#drawn, last));
      this.#drawn = last;
    }
    return sliceZeroPadded(this.#values, from, to);
  }
}

/** Phase of the pitch cycle at each half frame, in cycles from 0 to 1. */
function pitchPhase(f0: Float32Array): Float32Array {
  const samplesPerValue = SAMPLES_PER_FRAME / 2;
  const phase = new Float32Array(f0.length);
  let cycles = 0;
  for (let index = 0; index < f0.length; index++) {
    cycles = (cycles + (f0[index]! * samplesPerValue) / SAMPLE_RATE_HZ) % 1;
    phase[index] = cycles;
  }
  return phase;
}
