import {
  advance,
  branchIf,
  END,
  F32_MAX,
  F32_STORE,
  F32X4_ABS,
  F32X4_ADD,
  F32X4_MAX,
  F32X4_SUB,
  f32x4Lane,
  get,
  I32,
  I32_ADD,
  I32_LT_S,
  I32_SUB,
  i32Const,
  LOOP,
  set,
  V128,
  V128_ZERO,
  v128Load,
  WasmModule,
} from './wasm-module.ts';

/** Finds where a wave bends most. Calls are synchronous, so any number of streams can share it. */
export interface BendKernel {
  /** Where to put samples before `run`: two that came before, then those that are looked at. */
  readonly input: Float32Array;
  /** Where `run` puts the most that the wave bends in each step. */
  readonly output: Float32Array;
  /** A step is `stepSamples` long, at least 4. */
  run(steps: number, stepSamples: number): void;
}

export const SAMPLES_BEFORE = 2;

export function createBendKernel(capacity: number): BendKernel {
  const inputAt = 0;
  const outputAt = inputAt + 4 * (SAMPLES_BEFORE + capacity);
  const { memory, functions } = bending.instantiate(outputAt + 4 * capacity);
  return {
    input: new Float32Array(memory, inputAt, SAMPLES_BEFORE + capacity),
    output: new Float32Array(memory, outputAt, capacity),
    run(steps, stepSamples) {
      if (steps > 0) functions.run(inputAt, 4 * stepSamples, outputAt, outputAt + 4 * steps);
    },
  };
}

// Parameters and locals of `run`, by their index. Places are those two samples before the ones looked at.
const STEP = 0;
const STEP_BYTES = 1;
const OUTPUT = 2;
const OUTPUT_END = 3;
const PLACE = 4;
const LAST = 5;
const PEAK = 6;

/** peak = max(peak, |sample - 2 * the one before + the one before that|), four at a time */
const takeBends = (place: number) => [
  ...get(PEAK),
  ...[...get(place), ...v128Load(8)],
  ...[...get(place), ...v128Load(4), ...F32X4_SUB],
  ...[...get(place), ...v128Load(4), ...F32X4_SUB],
  ...[...get(place), ...v128Load(0), ...F32X4_ADD],
  ...[...F32X4_ABS, ...F32X4_MAX, ...set(PEAK)],
];

const runBody = [
  ...LOOP,
  ...[...V128_ZERO, ...set(PEAK)],
  // place = step; last = step + stepBytes - four samples
  ...[...get(STEP), ...set(PLACE)],
  ...[...get(STEP), ...get(STEP_BYTES), I32_ADD, ...i32Const(16), I32_SUB, ...set(LAST)],
  ...LOOP,
  ...takeBends(PLACE),
  ...advance(PLACE, i32Const(16)),
  ...[...get(PLACE), ...get(LAST), I32_LT_S, ...branchIf(0)],
  END,
  // The last four, some of them a second time where the step is no multiple of four.
  ...takeBends(LAST),
  // *output = the highest lane
  ...get(OUTPUT),
  ...[...get(PEAK), ...f32x4Lane(0), ...get(PEAK), ...f32x4Lane(1), F32_MAX],
  ...[...get(PEAK), ...f32x4Lane(2), ...get(PEAK), ...f32x4Lane(3), F32_MAX],
  ...[F32_MAX, ...F32_STORE],
  ...advance(STEP, get(STEP_BYTES)),
  ...advance(OUTPUT, i32Const(4)),
  ...[...get(OUTPUT), ...get(OUTPUT_END), I32_LT_S, ...branchIf(0)],
  END,
];

const bending = new WasmModule({
  run: { parameters: [I32, I32, I32, I32], result: [], locals: [I32, I32, V128], body: runBody },
});
