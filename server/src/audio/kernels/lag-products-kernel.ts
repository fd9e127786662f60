import { WasmModule } from './wasm-module.ts';

/** Lags that are computed at a time. */
export const LAGS_AT_ONCE = 4;

/** Sums of the products of a frame with the samples at lags behind it. Calls are synchronous, so any number of callers can share it. */
export interface LagProductsKernel {
  /** Input buffer; the caller fills it before `run`: the frame, and as many samples behind it as the last lag. */
  readonly input: Float64Array;
  /** Output buffer; `run` writes one sum per lag. */
  readonly output: Float64Array;
  /** `lags` is a multiple of `LAGS_AT_ONCE`. */
  run(frameSamples: number, firstLag: number, lags: number): void;
}

const lagProducts = new WasmModule<'run'>('lag-products.wasm');

export function createLagProductsKernel(capacity: {
  readonly samples: number;
  readonly lags: number;
}): LagProductsKernel {
  const outputAt = 8 * capacity.samples;
  const { memory, functions } = lagProducts.instantiate(outputAt + 8 * capacity.lags);
  return {
    input: new Float64Array(memory, 0, capacity.samples),
    output: new Float64Array(memory, outputAt, capacity.lags),
    run(frameSamples, firstLag, lags) {
      if (frameSamples > 0 && lags > 0)
        functions.run(0, 8 * frameSamples, 8 * firstLag, outputAt, outputAt + 8 * lags);
    },
  };
}
