import { WasmModule } from './wasm-module.ts';

/** A polyphase filter bank and its buffers. Calls are synchronous, so any number of streams can share it. */
export interface ResamplerKernel {
  /** Input buffer; the caller fills it before `run`. */
  readonly input: Float32Array;
  /** Output buffer; `run` fills it from the start. */
  readonly output: Float32Array;
  /**
   * Filters until the input is used up or the output is full, and returns the number of output samples. The taps of
   * the first output sample begin at `tapStart` of the input; its phase is `phase`.
   */
  run(tapStart: number, phase: number, inputSamples: number): number;
}

/** The filter bank of a kernel: see `PolyphaseFilter`. `taps` is a multiple of 8. */
export interface ResamplerKernelOptions {
  readonly up: number;
  readonly taps: number;
  /** `up` filters of `taps` coefficients. */
  readonly coefficients: Float32Array;
  /** Input samples from one output sample to the next: the integer part, and the fraction in units of 1 / `up`. */
  readonly wholeStep: number;
  readonly phaseStep: number;
  readonly inputCapacity: number;
  readonly outputCapacity: number;
}

const resampler = new WasmModule<'run'>('resampler.wasm');

/** Creates a WebAssembly instance that holds the filter bank. */
export function createResamplerKernel(options: ResamplerKernelOptions): ResamplerKernel {
  const coefficientsAt = 0;
  const inputAt = coefficientsAt + 4 * options.coefficients.length;
  const outputAt = inputAt + 4 * options.inputCapacity;
  const endAt = outputAt + 4 * options.outputCapacity;
  const { memory, functions } = resampler.instantiate(endAt);
  new Float32Array(memory, coefficientsAt, options.coefficients.length).set(options.coefficients);

  return {
    input: new Float32Array(memory, inputAt, options.inputCapacity),
    output: new Float32Array(memory, outputAt, options.outputCapacity),
    run(tapStart, phase, inputSamples) {
      const outputEnd = functions.run(
        inputAt + 4 * tapStart,
        inputAt + 4 * (inputSamples - options.taps),
        phase,
        coefficientsAt,
        4 * options.taps,
        options.up,
        4 * options.wholeStep,
        options.phaseStep,
        outputAt,
        endAt,
      );
      return (outputEnd - outputAt) / 4;
    },
  };
}
