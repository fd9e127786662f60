import { SAMPLE_RATE_HZ, SAMPLES_PER_FRAME } from '../networks/features.ts';
import { MelEnergies } from './mel-energies.ts';

/** Rows per second: one for each pitch value. */
export const ALIGNED_HOP = SAMPLES_PER_FRAME / 2;
const MEL_OPTIONS = {
  window: 1024,
  transform: 1024,
  hop: ALIGNED_HOP,
  sampleRateHz: SAMPLE_RATE_HZ,
  bands: 80,
} as const;
/** Mel bands below 8 kHz. */
const BANDS = 66;
const CEPSTRA = 16;
const COSINES = Float64Array.from({ length: CEPSTRA * BANDS }, (_, at) =>
  Math.cos((Math.PI / BANDS) * ((at % BANDS) + 0.5) * (Math.floor(at / BANDS) + 1)),
);
/** Weight of the level of a row. */
const LEVEL_WEIGHT = 3;
/** Energy added to all bands, relative to the mean. */
const FLOOR = 1e-4;
/** Rows that are quieter than the loudest by more than this are left out of the statistics; natural logarithm of energy. */
const LOUD_WITHIN = 6;
/** Cost of advancing by 0 to 3 rows of the synthetic speech in one of the recording, relative to the mean distance. */
const ADVANCE_COSTS = [0.25, 0, 0.25, 0.6] as const;
/** Rows of the synthetic speech that may be left out at its start and at its end. */
const FREE_START = 60;
const FREE_END = 100;

export interface Alignment {
  /** For each row of the recording, the row of the synthetic speech that it corresponds to. */
  readonly path: Int32Array;
  /**
   * Mean distance along the path, relative to that of an alignment with the synthetic speech played backwards: the same
   * sounds in an order that cannot be right. Noise in the recording raises both; 1 is no evidence for the text.
   */
  readonly mismatch: number;
}

interface Warping {
  readonly path: Int32Array;
  /** Mean distance along the path. */
  readonly distance: number;
}

/**
 * Aligns two recordings of one text at 24 kHz by dynamic time warping of their cepstra. Memory and time are proportional
 * to the product of their lengths. Undefined if the synthetic speech is too long for the recording.
 */
export function alignSpeech(recorded: Float32Array, synthetic: Float32Array): Alignment | undefined {
  const rows = cepstra(recorded);
  const columns = cepstra(synthetic);
  if (rows.length === 0 || columns.length === 0) return undefined;
  const distances = distancesOf(rows, columns);
  const aligned = warp(distances, columns.length);
  playBackwards(distances, columns.length);
  const backwards = warp(distances, columns.length);
  if (aligned === undefined || backwards === undefined) return undefined;
  const mismatch = backwards.distance === 0 ? 1 : aligned.distance / backwards.distance;
  return { path: aligned.path, mismatch };
}

/** Reverses the order of the columns, in place: a matrix of two excerpts has up to 12 MB. */
function playBackwards(distances: Float32Array, width: number): void {
  for (let from = 0; from < distances.length; from += width) distances.subarray(from, from + width).reverse();
}

/** The path of the lowest cost through a matrix of distances. */
function warp(distances: Float32Array, width: number): Warping | undefined {
  const height = distances.length / width;
  const mean = distances.reduce((sum, value) => sum + value, 0) / distances.length;
  const costs = ADVANCE_COSTS.map((cost) => cost * mean);
  const advances = new Uint8Array(distances.length);
  let totals = Float64Array.from(distances.subarray(0, width), (distance, column) =>
    column < FREE_START ? distance : Number.POSITIVE_INFINITY,
  );
  for (let row = 1; row < height; row++) {
    const next = new Float64Array(width);
    for (let column = 0; column < width; column++) {
      let best = Number.POSITIVE_INFINITY;
      for (let advance = 0; advance < costs.length && advance <= column; advance++) {
        const total = totals[column - advance]! + costs[advance]!;
        if (total >= best) continue;
        best = total;
        advances[row * width + column] = advance;
      }
      next[column] = best + distances[row * width + column]!;
    }
    totals = next;
  }
  let column = Math.max(0, width - FREE_END);
  for (let end = column + 1; end < width; end++) if (totals[end]! < totals[column]!) column = end;
  if (!Number.isFinite(totals[column]!)) return undefined;
  const path = new Int32Array(height);
  let sum = 0;
  for (let row = height - 1; row >= 0; row--) {
    path[row] = column;
    sum += distances[row * width + column]!;
    column -= advances[row * width + column]!;
  }
  return { path, distance: sum / height };
}

function distancesOf(rows: readonly Float64Array[], columns: readonly Float64Array[]): Float32Array {
  const distances = new Float32Array(rows.length * columns.length);
  let at = 0;
  for (const row of rows) {
    for (const column of columns) {
      let sum = 0;
      for (let index = 0; index < row.length; index++) sum += (row[index]! - column[index]!) ** 2;
      distances[at++] = Math.sqrt(sum);
    }
  }
  return distances;
}

/** Cepstra and level of each row, in units of their deviation. */
function cepstra(samples: Float32Array): readonly Float64Array[] {
  const energies = new MelEnergies(MEL_OPTIONS).rows(samples).map((row) => row.subarray(0, BANDS));
  const mean =
    energies.reduce((sum, row) => sum + row.reduce((total, value) => total + value, 0), 0) /
    (energies.length * BANDS);
  const logs = energies.map((row) => row.map((value) => Math.log(value + FLOOR * mean + Number.MIN_VALUE)));
  const levels = logs.map((row) => row.reduce((sum, value) => sum + value, 0) / BANDS);
  const loudest = levels.reduce((max, level) => Math.max(max, level), Number.NEGATIVE_INFINITY);
  const isLoud = levels.map((level) => level > loudest - LOUD_WITHIN);
  const values = logs.map((row) =>
    Float64Array.from({ length: CEPSTRA }, (_, index) =>
      row.reduce((sum, value, band) => sum + value * COSINES[index * BANDS + band]!, 0),
    ),
  );
  const loud = values.filter((_, row) => isLoud[row]);
  const scales = Array.from({ length: CEPSTRA }, (_, index) => momentsOf(loud.map((row) => row[index]!)));
  const loudLevel = momentsOf(levels.filter((_, row) => isLoud[row])).mean;
  const levelDeviation = momentsOf(levels).deviation;
  return values.map((row, at) =>
    Float64Array.of(
      ...row.map((value, index) => (value - scales[index]!.mean) / scales[index]!.deviation),
      (LEVEL_WEIGHT * (levels[at]! - loudLevel)) / levelDeviation,
    ),
  );
}

function momentsOf(values: readonly number[]): { readonly mean: number; readonly deviation: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const square = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, values.length - 1);
  return { mean, deviation: Math.max(1e-6, Math.sqrt(square)) };
}
