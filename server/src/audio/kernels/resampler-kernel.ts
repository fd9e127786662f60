import {
  advance,
  branch,
  branchIf,
  END,
  F32_ADD,
  F32_STORE,
  F32X4_ADD,
  F32X4_MUL,
  f32x4Lane,
  get,
  I32,
  I32_ADD,
  I32_GE_S,
  I32_GT_S,
  I32_LT_S,
  I32_MUL,
  I32_OR,
  I32_SUB,
  IF,
  i32Const,
  LOOP,
  RETURN,
  set,
  V128,
  V128_ZERO,
  v128Load,
  WasmModule,
} from './wasm-module.ts';

/** A filter bank and the memory it works in. Calls are synchronous, so any number of streams can share it. */
export interface ResamplerKernel {
  /** Where to put input samples before `run`. */
  readonly input: Float32Array;
  /** Where `run` puts output samples. */
  readonly output: Float32Array;
  /**
   * Filters until the input or the output is used up and returns the number of output samples. The
   * first one's taps begin at `tapStart` and it has phase `phase`.
   */
  run(tapStart: number, phase: number, inputSamples: number): number;
}

/** What a kernel computes: see `PolyphaseFilter`. `taps` is a multiple of 8. */
export interface KernelShape {
  readonly up: number;
  readonly taps: number;
  readonly coefficients: Float32Array;
  readonly wholeStep: number;
  readonly phaseStep: number;
  readonly inputCapacity: number;
  readonly outputCapacity: number;
}

/** Puts a filter bank into a WebAssembly instance of its own. */
export function createResamplerKernel(shape: KernelShape): ResamplerKernel {
  const coefficientsAt = 0;
  const inputAt = coefficientsAt + 4 * shape.coefficients.length;
  const outputAt = inputAt + 4 * shape.inputCapacity;
  const endAt = outputAt + 4 * shape.outputCapacity;
  const { memory, functions } = resampling.instantiate(endAt);
  new Float32Array(memory, coefficientsAt, shape.coefficients.length).set(shape.coefficients);

  return {
    input: new Float32Array(memory, inputAt, shape.inputCapacity),
    output: new Float32Array(memory, outputAt, shape.outputCapacity),
    run(tapStart, phase, inputSamples) {
      const written = functions.run(
        inputAt + 4 * tapStart,
        inputAt + 4 * (inputSamples - shape.taps),
        phase,
        coefficientsAt,
        4 * shape.taps,
        shape.up,
        4 * shape.wholeStep,
        shape.phaseStep,
        outputAt,
        endAt,
      );
      return (written - outputAt) / 4;
    },
  };
}

// Parameters and locals of `run`, by their index.
const TAP_START = 0;
const LAST_TAP_START = 1;
const PHASE = 2;
const COEFFICIENTS = 3;
const TAPS_BYTES = 4;
const UP = 5;
const WHOLE_STEP_BYTES = 6;
const PHASE_STEP = 7;
const OUTPUT = 8;
const OUTPUT_END = 9;
const PARAMETER_COUNT = 10;
const TAP = 10;
const TAP_END = 11;
const COEFFICIENT = 12;
const SUM_A = 13;
const SUM_B = 14;

/** sum += four samples at `offset` times four coefficients at `offset`. */
const multiplyAdd = (sum: number, offset: number) => [
  ...get(sum),
  ...[...get(TAP), ...v128Load(offset)],
  ...[...get(COEFFICIENT), ...v128Load(offset)],
  ...F32X4_MUL,
  ...F32X4_ADD,
  ...set(sum),
];

/** One turn of the outer loop makes one output sample, one of the inner loop takes eight taps. */
const runBody = [
  ...LOOP,
  // if (tapStart > lastTapStart || output >= outputEnd) return output
  ...[...get(TAP_START), ...get(LAST_TAP_START), I32_GT_S],
  ...[...get(OUTPUT), ...get(OUTPUT_END), I32_GE_S],
  ...[I32_OR, ...IF, ...get(OUTPUT), RETURN, END],
  // coefficient = coefficients + phase * tapsBytes
  ...[...get(COEFFICIENTS), ...get(PHASE), ...get(TAPS_BYTES), I32_MUL, I32_ADD, ...set(COEFFICIENT)],
  // tap = tapStart; tapEnd = tapStart + tapsBytes
  ...[...get(TAP_START), ...set(TAP)],
  ...[...get(TAP_START), ...get(TAPS_BYTES), I32_ADD, ...set(TAP_END)],
  ...[...V128_ZERO, ...set(SUM_A)],
  ...[...V128_ZERO, ...set(SUM_B)],
  ...LOOP,
  ...multiplyAdd(SUM_A, 0),
  ...multiplyAdd(SUM_B, 16),
  ...advance(TAP, i32Const(32)),
  ...advance(COEFFICIENT, i32Const(32)),
  ...[...get(TAP), ...get(TAP_END), I32_LT_S, ...branchIf(0)],
  END,
  // sumA += sumB; *output = (lane 0 + lane 1) + (lane 2 + lane 3)
  ...[...get(SUM_A), ...get(SUM_B), ...F32X4_ADD, ...set(SUM_A)],
  ...get(OUTPUT),
  ...[...get(SUM_A), ...f32x4Lane(0), ...get(SUM_A), ...f32x4Lane(1), F32_ADD],
  ...[...get(SUM_A), ...f32x4Lane(2), ...get(SUM_A), ...f32x4Lane(3), F32_ADD],
  ...[F32_ADD, ...F32_STORE],
  ...advance(OUTPUT, i32Const(4)),
  ...advance(TAP_START, get(WHOLE_STEP_BYTES)),
  ...advance(PHASE, get(PHASE_STEP)),
  // if (phase >= up) { phase -= up; tapStart += one sample }
  ...[...get(PHASE), ...get(UP), I32_GE_S, ...IF],
  ...[...get(PHASE), ...get(UP), I32_SUB, ...set(PHASE)],
  ...advance(TAP_START, i32Const(4)),
  END,
  ...branch(0),
  END,
  // Never reached, but the function must end with its result.
  ...get(OUTPUT),
];

const resampling = new WasmModule({
  run: {
    parameters: Array(PARAMETER_COUNT).fill(I32),
    result: [I32],
    locals: [I32, I32, I32, V128, V128],
    body: runBody,
  },
});
