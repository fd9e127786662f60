import { WasmModule } from './wasm-module.ts';

/**
 * Measures the largest magnitude of the second difference in each block of samples. Calls are synchronous, so any
 * number of streams can share it.
 */
export interface SecondDifferenceKernel {
  /** Input buffer; the caller fills it before `run`: `PRECEDING_SAMPLES`, then the blocks. */
  readonly input: Float32Array;
  /** Output buffer; `run` writes one value per block. */
  readonly output: Float32Array;
  /** A block has at least 4 samples. */
  run(blocks: number, blockSamples: number): void;
}

/** Samples before the first block, which its first second differences need. */
export const PRECEDING_SAMPLES = 2;

const secondDifference = new WasmModule<'run'>('second-difference.wasm');

export function createSecondDifferenceKernel(capacity: number): SecondDifferenceKernel {
  const inputAt = 0;
  const outputAt = inputAt + 4 * (PRECEDING_SAMPLES + capacity);
  const { memory, functions } = secondDifference.instantiate(outputAt + 4 * capacity);
  return {
    input: new Float32Array(memory, inputAt, PRECEDING_SAMPLES + capacity),
    output: new Float32Array(memory, outputAt, capacity),
    run(blocks, blockSamples) {
      if (blocks > 0) functions.run(inputAt, 4 * blockSamples, outputAt, outputAt + 4 * blocks);
    },
  };
}
