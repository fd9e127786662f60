import { WasmModule } from './wasm-module.ts';

/** Converts float samples to 16-bit integers. Calls are synchronous, so any number of streams can share it. */
export interface Pcm16Kernel {
  /** Input buffer; the caller fills it before `run`. */
  readonly input: Float32Array;
  /** Output buffer; `run` fills it from the start. */
  readonly output: Int16Array;
  run(count: number): void;
}

const FULL_SCALE = 32768;
const SAMPLES_PER_ITERATION = 8;

const pcm16 = new WasmModule<'run'>('pcm16.wasm');

/** `capacity` is a multiple of 8. */
export function createPcm16Kernel(capacity: number): Pcm16Kernel {
  const inputAt = 0;
  const outputAt = inputAt + 4 * capacity;
  const { memory, functions } = pcm16.instantiate(outputAt + 2 * capacity);
  return {
    input: new Float32Array(memory, inputAt, capacity),
    output: new Int16Array(memory, outputAt, capacity),
    run(count) {
      if (count === 0) return;
      const iterations = Math.ceil(count / SAMPLES_PER_ITERATION);
      functions.run(inputAt, inputAt + 4 * SAMPLES_PER_ITERATION * iterations, outputAt, FULL_SCALE, 0.5);
    },
  };
}
