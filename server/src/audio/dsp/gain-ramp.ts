import { createGainRampKernel } from '../kernels/loudness-kernel.ts';

/** A tenth of a second at 48 kHz: a hop of the loudness meter. */
const BLOCK_SAMPLES = 4800;
const kernel = createGainRampKernel(BLOCK_SAMPLES);

export interface GainRamp {
  /** The range of samples. */
  readonly offset: number;
  readonly end: number;
  readonly gain: number;
  readonly slope: number;
  /** Index of the first sample, to which `slope` applies. */
  readonly from: number;
}

/** Multiplies a range of samples by a gain that changes linearly. `output` may be `samples`. */
export function applyGainRamp(
  samples: Float32Array,
  output: Float32Array,
  { offset, end, from, ...ramp }: GainRamp,
): void {
  for (let start = offset; start < end; start += BLOCK_SAMPLES) {
    const block = samples.subarray(start, Math.min(start + BLOCK_SAMPLES, end));
    kernel.input.set(block);
    kernel.run(block.length, { ...ramp, from: from + start - offset });
    output.set(kernel.output.subarray(0, block.length), start);
  }
}
