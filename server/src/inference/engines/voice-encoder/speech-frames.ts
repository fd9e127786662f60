/** Rows of equal width, one per 10 ms. */
export interface FrameTable {
  readonly values: Float32Array;
  readonly width: number;
}

const CEPSTRA = 23;
const MEAN_WINDOW = 300;

/**
 * Input frames of the x-vector network: cepstra minus their sliding mean over three seconds, for the frames with
 * speech by Kaldi's energy-based VAD. The first value of each row is the log energy of the frame.
 */
export function selectXVectorFrames(cepstra: Float32Array): Float32Array {
  const count = cepstra.length / CEPSTRA;
  const normalised = subtractSlidingMean(cepstra, count);
  let sum = 0;
  for (let frame = 0; frame < count; frame++) sum += cepstra[frame * CEPSTRA]!;
  const threshold = 5.5 + (0.5 * sum) / count;
  const isLoud = (frame: number) => cepstra[frame * CEPSTRA]! > threshold;
  const kept: number[] = [];
  for (let frame = 0; frame < count; frame++) {
    const [from, to] = [Math.max(0, frame - 2), Math.min(count, frame + 3)];
    let loud = 0;
    for (let near = from; near < to; near++) if (isLoud(near)) loud++;
    if (loud / (to - from) >= 0.12) kept.push(frame);
  }
  return kept.length <= 50 ? normalised : pickRows({ values: normalised, width: CEPSTRA }, kept);
}

function subtractSlidingMean(cepstra: Float32Array, count: number): Float32Array {
  const sums = new Float64Array((count + 1) * CEPSTRA);
  for (let index = 0; index < cepstra.length; index++) sums[index + CEPSTRA] = sums[index]! + cepstra[index]!;
  const normalised = new Float32Array(cepstra.length);
  for (let frame = 0; frame < count; frame++) {
    const from = Math.max(0, Math.min(frame - MEAN_WINDOW / 2, count - MEAN_WINDOW));
    const to = Math.min(count, Math.max(frame + MEAN_WINDOW / 2, MEAN_WINDOW));
    for (let column = 0; column < CEPSTRA; column++) {
      const mean = (sums[to * CEPSTRA + column]! - sums[from * CEPSTRA + column]!) / (to - from);
      normalised[frame * CEPSTRA + column] = cepstra[frame * CEPSTRA + column]! - mean;
    }
  }
  return normalised;
}

export const MEL_BANDS = 40;
/** Window length and hop, in frames. */
const WINDOW = { frames: 160, step: 80 };
/** More windows do not improve the embedding. */
const WINDOWS_MAX = 40;
const SPEECH_SHARE = 10 ** -3.5;
const SPEECH_MARGIN_FRAMES = 15;

/** Windows of 1.6 s of mel energies over the frames with speech. Shorter speech is padded with silence. */
export function cutMelWindows(mel: Float32Array): { readonly values: Float32Array; readonly count: number } {
  const speech = selectSpeechFrames(mel);
  const frames = speech.length / MEL_BANDS;
  const possible = Math.max(1, Math.floor((frames - WINDOW.frames) / WINDOW.step) + 1);
  const count = Math.min(possible, WINDOWS_MAX);
  const values = new Float32Array(count * WINDOW.frames * MEL_BANDS);
  for (let window = 0; window < count; window++) {
    const first = Math.floor((window * possible) / count) * WINDOW.step * MEL_BANDS;
    values.set(speech.subarray(first, first + WINDOW.frames * MEL_BANDS), window * WINDOW.frames * MEL_BANDS);
  }
  return { values, count };
}

/** The mel energies of the frames with speech. */
function selectSpeechFrames(mel: Float32Array): Float32Array {
  return pickRows({ values: mel, width: MEL_BANDS }, speechRows(mel));
}

/** Frames within 35 dB of the 95th percentile, and 150 ms on either side. */
function speechRows(mel: Float32Array): number[] {
  const energies = rowSums(mel);
  const loud = Float64Array.from(energies).sort()[Math.floor(0.95 * (energies.length - 1))] ?? 0;
  const rows: number[] = [];
  let lastLoud = Number.NEGATIVE_INFINITY;
  let nextLoud = 0;
  for (let row = 0; row < energies.length; row++) {
    if (energies[row]! > SPEECH_SHARE * loud) lastLoud = row;
    nextLoud = Math.max(nextLoud, row);
    while (nextLoud < energies.length && energies[nextLoud]! <= SPEECH_SHARE * loud) nextLoud++;
    const distance = Math.min(row - lastLoud, nextLoud === energies.length ? Infinity : nextLoud - row);
    if (distance <= SPEECH_MARGIN_FRAMES) rows.push(row);
  }
  return rows;
}

/** Long-term spectrum: log10 of the mean energy of each band over loud frames, with the mean removed. */
export function longTermSpectrum(mel: Float32Array): Float32Array {
  const energies = rowSums(mel);
  const loudest = energies.reduce((max, energy) => Math.max(max, energy), 0);
  const sums = new Float64Array(MEL_BANDS);
  let count = 0;
  energies.forEach((energy, row) => {
    if (energy <= 1e-2 * loudest) return;
    count++;
    for (let band = 0; band < MEL_BANDS; band++) sums[band]! += mel[row * MEL_BANDS + band]!;
  });
  const spectrum = Float32Array.from(sums, (sum) => Math.log10(Math.max(sum / Math.max(count, 1), 1e-12)));
  const mean = spectrum.reduce((sum, value) => sum + value, 0) / MEL_BANDS;
  return spectrum.map((value) => value - mean);
}

function rowSums(mel: Float32Array): Float64Array {
  const sums = new Float64Array(mel.length / MEL_BANDS);
  for (let index = 0; index < mel.length; index++) sums[Math.floor(index / MEL_BANDS)]! += mel[index]!;
  return sums;
}

function pickRows({ values, width }: FrameTable, rows: readonly number[]): Float32Array {
  const picked = new Float32Array(rows.length * width);
  rows.forEach((row, index) => {
    picked.set(values.subarray(row * width, (row + 1) * width), index * width);
  });
  return picked;
}
