import { decibelsToFactor } from '../../../../audio/gain.ts';
import { floatOutput } from '../../onnx/float-output.ts';
import { type InferenceSession, Tensor } from '../../onnx/onnxruntime.ts';
import { openSession } from '../../onnx/session.ts';
import { CUT_POINTS } from '../networks/cut-graph.ts';
import { alignTextRows, FEATURE_ROWS, SAMPLES_PER_FRAME } from '../networks/features.ts';
import type { DecoderInput, DecodingJob, KokoroDecoder } from './decoder.ts';

/**
 * Gain of the waveform. The official decoder is 2.8 LU louder than the fast ones, by which the loudness of the voices is
 * measured (mean of two voices and six sentences).
 */
const GAIN = decibelsToFactor(-2.8);

/**
 * The official Kokoro decoder. It normalises over the entire utterance, which excludes windowed decoding: the first
 * call decodes everything. Its noise is generated in the graph and ignores the seed.
 */
export class StockDecoder implements KokoroDecoder {
  readonly contextFrames = undefined;
  readonly whisperGain = 1;
  readonly #session: InferenceSession;

  private constructor(session: InferenceSession) {
    this.#session = session;
  }

  static async open(path: string, options: { readonly threads: number }): Promise<StockDecoder> {
    return new StockDecoder(await openSession(path, options));
  }

  begin(input: DecoderInput): DecodingJob {
    let decoded: Promise<Float32Array> | undefined;
    return {
      decode: async (from, to) => {
        decoded ??= this.#run(input);
        return (await decoded).subarray(from * SAMPLES_PER_FRAME, to * SAMPLES_PER_FRAME);
      },
    };
  }

  async #run({ features, style }: DecoderInput): Promise<Float32Array> {
    const { frames } = features;
    const outputs = await this.#session.run({
      style: new Tensor('float32', style, [1, style.length]),
      [CUT_POINTS.asr]: new Tensor('float32', alignTextRows(features), [1, FEATURE_ROWS, frames]),
      [CUT_POINTS.f0]: new Tensor('float32', features.f0, [1, 2 * frames]),
      [CUT_POINTS.energy]: new Tensor('float32', features.energy, [1, 2 * frames]),
    });
    return floatOutput(outputs, 'waveform').map((sample) => GAIN * sample);
  }

  close(): Promise<void> {
    return this.#session.release();
  }
}
