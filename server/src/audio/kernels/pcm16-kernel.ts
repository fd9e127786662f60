import {
  advance,
  branchIf,
  END,
  F32,
  F32X4_ADD,
  F32X4_FLOOR,
  F32X4_MUL,
  F32X4_SPLAT,
  get,
  I16X8_FROM_I32X4,
  I32,
  I32_LT_S,
  I32X4_FROM_F32X4,
  i32Const,
  LOOP,
  set,
  V128,
  V128_STORE,
  v128Load,
  WasmModule,
} from './wasm-module.ts';

/** Rounds samples to 16 bits, and the memory for it. Calls are synchronous, so any number of streams can share it. */
export interface RoundingKernel {
  /** Where to put samples before `run`. */
  readonly input: Float32Array;
  /** Where `run` puts them rounded. */
  readonly output: Int16Array;
  run(count: number): void;
}

const FULL_SCALE = 32768;
const SAMPLES_PER_TURN = 8;

/** `capacity` is a multiple of 8. */
export function createRoundingKernel(capacity: number): RoundingKernel {
  const inputAt = 0;
  const outputAt = inputAt + 4 * capacity;
  const { memory, functions } = rounding.instantiate(outputAt + 2 * capacity);
  return {
    input: new Float32Array(memory, inputAt, capacity),
    output: new Int16Array(memory, outputAt, capacity),
    run(count) {
      if (count === 0) return;
      const turns = Math.ceil(count / SAMPLES_PER_TURN);
      functions.run(inputAt, inputAt + 4 * SAMPLES_PER_TURN * turns, outputAt, FULL_SCALE, 0.5);
    },
  };
}

// Parameters and locals of `run`, by their index.
const INPUT = 0;
const INPUT_END = 1;
const OUTPUT = 2;
const SCALE = 3;
const HALF = 4;
const SCALES = 5;
const HALVES = 6;

/** Four samples at `offset`, times the scale, rounded half up. */
const roundFour = (offset: number) => [
  ...[...get(INPUT), ...v128Load(offset)],
  ...[...get(SCALES), ...F32X4_MUL],
  ...[...get(HALVES), ...F32X4_ADD],
  ...F32X4_FLOOR,
  ...I32X4_FROM_F32X4,
];

const runBody = [
  ...[...get(SCALE), ...F32X4_SPLAT, ...set(SCALES)],
  ...[...get(HALF), ...F32X4_SPLAT, ...set(HALVES)],
  ...LOOP,
  // *output = eight samples, clamped
  ...get(OUTPUT),
  ...roundFour(0),
  ...roundFour(16),
  ...[...I16X8_FROM_I32X4, ...V128_STORE],
  ...advance(INPUT, i32Const(32)),
  ...advance(OUTPUT, i32Const(16)),
  // while (input < inputEnd)
  ...[...get(INPUT), ...get(INPUT_END), I32_LT_S, ...branchIf(0)],
  END,
];

const rounding = new WasmModule({
  run: { parameters: [I32, I32, I32, F32, F32], result: [], locals: [V128, V128], body: runBody },
});
