/**
 * The inner loop of the resampler in WebAssembly, four multiplications at a time. The same loop in
 * JavaScript takes ten times as long, and resampling stands beside every stream there is. The module
 * is small enough to be written by hand; the comments in `runBody` are its text form.
 */

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

// Node has this; the library of ECMAScript does not describe it.
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { readonly exports: Record<string, unknown> };
};

type RunExport = (...args: readonly number[]) => number;

interface MemoryExport {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

const PAGE_BYTES = 65536;
let compiled: object | undefined;

/** Puts a filter bank into a WebAssembly instance of its own. */
export function createResamplerKernel(shape: KernelShape): ResamplerKernel {
  compiled ??= new WebAssembly.Module(moduleBytes());
  const instance = new WebAssembly.Instance(compiled);
  const memory = instance.exports.memory as MemoryExport;
  const runExport = instance.exports.run as RunExport;

  const coefficientsAt = 0;
  const inputAt = coefficientsAt + 4 * shape.coefficients.length;
  const outputAt = inputAt + 4 * shape.inputCapacity;
  const endAt = outputAt + 4 * shape.outputCapacity;
  memory.grow(Math.ceil(endAt / PAGE_BYTES));
  new Float32Array(memory.buffer, coefficientsAt, shape.coefficients.length).set(shape.coefficients);

  return {
    input: new Float32Array(memory.buffer, inputAt, shape.inputCapacity),
    output: new Float32Array(memory.buffer, outputAt, shape.outputCapacity),
    run(tapStart, phase, inputSamples) {
      const written = runExport(
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

const I32 = 0x7f;
const V128 = 0x7b;
const NO_VALUE = 0x40;

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

const get = (local: number) => [0x20, local];
const set = (local: number) => [0x21, local];
const i32Const = (value: number) => [0x41, ...signedLeb(value)];
const I32_ADD = 0x6a;
const I32_SUB = 0x6b;
const I32_MUL = 0x6c;
const I32_OR = 0x72;
const I32_LT_S = 0x48;
const I32_GT_S = 0x4a;
const I32_GE_S = 0x4e;
const F32_ADD = 0x92;
const F32_STORE = [0x38, 2, 0];
const LOOP = [0x03, NO_VALUE];
const IF = [0x04, NO_VALUE];
const END = 0x0b;
const RETURN = 0x0f;
const branch = (depth: number) => [0x0c, depth];
const branchIf = (depth: number) => [0x0d, depth];
const v128Load = (offset: number) => [0xfd, 0x00, 2, offset];
const V128_ZERO = [0xfd, 0x0c, ...new Uint8Array(16)];
const F32X4_ADD = [0xfd, 0xe4, 0x01];
const F32X4_MUL = [0xfd, 0xe6, 0x01];
const f32x4Lane = (lane: number) => [0xfd, 0x1f, lane];

/** sum += four samples at `offset` times four coefficients at `offset`. */
const multiplyAdd = (sum: number, offset: number) => [
  ...get(sum),
  ...[...get(TAP), ...v128Load(offset)],
  ...[...get(COEFFICIENT), ...v128Load(offset)],
  ...F32X4_MUL,
  ...F32X4_ADD,
  ...set(sum),
];

const advance = (local: number, by: readonly number[]) => [...get(local), ...by, I32_ADD, ...set(local)];

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
  END,
];

function moduleBytes(): Uint8Array {
  const type = [0x60, PARAMETER_COUNT, ...Array(PARAMETER_COUNT).fill(I32), 1, I32];
  const locals = [2, 3, I32, 2, V128];
  const code = [...locals, ...runBody];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, ...type]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, 1]),
    ...section(7, [2, ...exportName('memory'), 2, 0, ...exportName('run'), 0, 0]),
    ...section(10, [1, ...unsignedLeb(code.length), ...code]),
  ]);
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...unsignedLeb(content.length), ...content];
}

function exportName(name: string): number[] {
  return [name.length, ...new TextEncoder().encode(name)];
}

function unsignedLeb(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsignedLeb(value >>> 7)];
}

function signedLeb(value: number): number[] {
  if (value < 0 || value > 0x3f) throw new RangeError('Only small constants are needed here.');
  return [value];
}
