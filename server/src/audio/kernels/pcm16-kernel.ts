import { WasmModule } from './wasm-module.ts';

/** Converts between float samples and 16-bit integers. Calls are synchronous, so any number of streams can share it. */
export interface Pcm16Kernel {
  /** Buffers of both forms; the caller fills one of them from the start, and a call fills the other. */
  readonly floats: Float32Array;
  readonly integers: Int16Array;
  /** Rounds `floats` times `scale`, by default 32768. Values out of range are clamped; NaN becomes 0. */
  round(count: number, scale?: number): void;
  /** The largest absolute value of `floats`; NaN is ignored. */
  peak(count: number): number;
  /** Multiplies `integers` with `scale`. */
  scale(count: number, scale: number): void;
}

const FULL_SCALE = 32768;
const SAMPLES_PER_ITERATION = 8;

const pcm16 = new WasmModule<'run' | 'peak' | 'unpack'>('pcm16.wasm');

/** `capacity` is a multiple of 8. */
export function createPcm16Kernel(capacity: number): Pcm16Kernel {
  const floatsAt = 0;
  const integersAt = floatsAt + 4 * capacity;
  const { memory, functions } = pcm16.instantiate(integersAt + 2 * capacity);
  const floats = new Float32Array(memory, floatsAt, capacity);
  const roundUp = (count: number) => SAMPLES_PER_ITERATION * Math.ceil(count / SAMPLES_PER_ITERATION);
  return {
    floats,
    integers: new Int16Array(memory, integersAt, capacity),
    round(count, scale = FULL_SCALE) {
      if (count > 0) functions.run(floatsAt, floatsAt + 4 * roundUp(count), integersAt, scale, 0.5);
    },
    peak(count) {
      const end = roundUp(count);
      floats.fill(0, count, end);
      return count === 0 ? 0 : functions.peak(floatsAt, floatsAt + 4 * end);
    },
    scale(count, scale) {
      if (count > 0) functions.unpack(integersAt, integersAt + 2 * roundUp(count), floatsAt, scale);
    },
  };
}
