import {
  advance,
  branch,
  END,
  F32,
  F32X4_ABS,
  F32X4_ADD,
  F32X4_GT,
  F32X4_MAX,
  F32X4_MUL,
  F32X4_SPLAT,
  get,
  I32,
  I32_GE_S,
  I32_SHIFT_LEFT,
  I32_SUB,
  I32_TRAILING_ZEROS,
  I32X4_BIT_MASK,
  IF,
  i32Const,
  LOOP,
  RETURN,
  set,
  V128,
  V128_ZERO,
  v128Load,
  v128LoadSplat,
  WasmModule,
} from './wasm-module.ts';

/** Looks for loud places in a line of samples. Calls are synchronous, so any number of streams can share it. */
export interface PeakKernel {
  /** Where to put samples before looking. */
  readonly line: Float32Array;
  /** The first place whose sample is above a level, up or down; `to` when there is none. */
  firstAbove(from: number, to: number, level: number): number;
  /**
   * The first place with whose sample, the last of the taps, a peak above a level is known; `to` when there is none.
   * A peak is the middle sample, or what one of the filters makes of those around it.
   */
  firstPeak(from: number, to: number, level: number): number;
}

/** The filters that find what lies between samples. */
export const PEAK_FILTERS = 3;
export const PEAK_TAPS = 12;
/** Which of the taps stands at the sample that a peak is at, or right behind. */
export const PEAK_MIDDLE = 5;

export function createPeakKernel(filters: readonly Float64Array[], capacity: number): PeakKernel {
  const lineAt = 4 * PEAK_FILTERS * PEAK_TAPS;
  // The last turn may look at samples behind the line.
  const { memory, functions } = looking.instantiate(lineAt + 4 * (capacity + 4));
  const coefficients = new Float32Array(memory, 0, PEAK_FILTERS * PEAK_TAPS);
  for (const [index, filter] of filters.entries()) coefficients.set(filter, index * PEAK_TAPS);
  const addressOf = (place: number) => lineAt + 4 * place;
  const placeOf = (address: number) => (address - lineAt) / 4;
  return {
    line: new Float32Array(memory, lineAt, capacity),
    firstAbove: (from, to, level) => placeOf(functions.firstAbove(addressOf(from), addressOf(to), level)),
    firstPeak: (from, to, level) => placeOf(functions.firstPeak(addressOf(from), addressOf(to), level)),
  };
}

// Parameters and locals of both functions, by their index.
const PLACE = 0;
const PLACE_END = 1;
const LEVEL = 2;
const LEVELS = 3;
const MASK = 4;
const TAP_START = 5;
const SUM = 6;
const PEAK = 7;

/** Goes on four places at a time until one of those whose levels `levelsBody` leaves on the stack is loud enough. */
const search = (levelsBody: readonly number[]) => [
  ...[...get(LEVEL), ...F32X4_SPLAT, ...set(LEVELS)],
  ...LOOP,
  // if (place >= placeEnd) return placeEnd
  ...[...get(PLACE), ...get(PLACE_END), I32_GE_S, ...IF, ...get(PLACE_END), RETURN, END],
  // mask = a bit for each level that is above
  ...levelsBody,
  ...[...get(LEVELS), ...F32X4_GT, ...I32X4_BIT_MASK, ...set(MASK)],
  // if (mask) { place += the first of them; return min(place, placeEnd) }
  ...[...get(MASK), ...IF],
  ...advance(PLACE, [...get(MASK), I32_TRAILING_ZEROS, ...i32Const(2), I32_SHIFT_LEFT]),
  ...[...get(PLACE), ...get(PLACE_END), I32_GE_S, ...IF, ...get(PLACE_END), RETURN, END],
  ...[...get(PLACE), RETURN],
  END,
  ...advance(PLACE, i32Const(16)),
  ...branch(0),
  END,
  // Never reached, but the function must end with its result.
  ...get(PLACE_END),
];

const samplesAtTap = (tap: number) => [...get(TAP_START), ...v128Load(4 * tap)];

/** What a filter makes of the samples before four places, up or down. */
const filtered = (filter: number) => [
  ...[...V128_ZERO, ...set(SUM)],
  ...Array.from({ length: PEAK_TAPS }, (_, tap) => [
    ...[...get(SUM), ...samplesAtTap(tap)],
    ...[...i32Const(0), ...v128LoadSplat(4 * (filter * PEAK_TAPS + tap))],
    ...[...F32X4_MUL, ...F32X4_ADD, ...set(SUM)],
  ]).flat(),
  ...[...get(SUM), ...F32X4_ABS],
];

const peaks = [
  // tapStart = place - 11 samples
  ...[...get(PLACE), ...i32Const(4 * (PEAK_TAPS - 1)), I32_SUB, ...set(TAP_START)],
  ...[...samplesAtTap(PEAK_MIDDLE), ...F32X4_ABS, ...set(PEAK)],
  ...Array.from({ length: PEAK_FILTERS }, (_, filter) => [
    ...filtered(filter),
    ...[...get(PEAK), ...F32X4_MAX, ...set(PEAK)],
  ]).flat(),
  ...get(PEAK),
];

const shape = { parameters: [I32, I32, F32], result: [I32], locals: [V128, I32, I32, V128, V128] };

const looking = new WasmModule({
  firstAbove: { ...shape, body: search([...get(PLACE), ...v128Load(0), ...F32X4_ABS]) },
  firstPeak: { ...shape, body: search(peaks) },
});
