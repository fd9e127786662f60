import { Fft } from '../../../../audio/dsp/fft.ts';
import { SAMPLE_RATE_HZ, SAMPLES_PER_FRAME } from '../networks/features.ts';

/** Samples per value. */
const HOP = SAMPLES_PER_FRAME / 2;
/** Analysis window and range of its lags, in samples. */
const WINDOW = 600;
const SHORTEST = 48;
const LONGEST = 400;
const FRAME = WINDOW + LONGEST;
/** Samples of a frame before its value begins: the two windows that are compared lie around the centre of the value. */
const MARGIN = FRAME / 2 - HOP / 2;
const TRANSFORM = 2048;
/** States of the Viterbi search: lags on a logarithmic scale, and a last one for unvoiced. */
const LAGS = Float64Array.from(
  { length: 112 },
  (_, state) => SHORTEST * (LONGEST / SHORTEST) ** (state / 111),
);
const UNVOICED = LAGS.length;
const STATES = LAGS.length + 1;
const UNVOICED_SCORE = 0.4;
/** Cost of a change of voicing, of an octave, and limit of the latter. */
const VOICING_COST = 0.2;
const OCTAVE_COST = 2;
const JUMP_COST_MAX = 1;
/** Cost of an octave below the highest pitch, against errors to the lower octave. */
const LONG_LAG_COST = 0.06;
/** Values with less energy, relative to the loudest, are unvoiced. */
const QUIET_SHARE = 10 ** -2.5;
/** Score of a lag in a quiet value. */
const IMPOSSIBLE = -9;
/** Lags next to the best state that are searched for the peak. */
const PEAK_REACH = 8;
const LOW_PASS_HZ = 1800;
const LOW_PASS_REACH = 40;

/**
 * F0 in Hz of speech at 24 kHz, two values per frame as the front predicts it; 0 where unvoiced. Normalised
 * autocorrelation and a Viterbi search, as in the training of the decoder (`training/decoder/contours.py`).
 */
export function recordedPitch(samples: Float32Array): Float32Array {
  const count = Math.floor(samples.length / HOP);
  const { correlations, energies } = correlate(lowPass(samples), count);
  const loudest = energies.reduce((max, value) => Math.max(max, value), 0);
  const scores = correlations.map((row, value) => scoresOf(row, energies[value]! < QUIET_SHARE * loudest));
  const path = bestPath(scores);
  return Float32Array.from(path, (state, value) =>
    state === UNVOICED ? 0 : SAMPLE_RATE_HZ / peakNear(correlations[value]!, LAGS[state]!),
  );
}

function lowPass(samples: Float32Array): Float32Array {
  const kernel = Float64Array.from({ length: 2 * LOW_PASS_REACH + 1 }, (_, index) => {
    const place = index - LOW_PASS_REACH;
    const angle = (2 * Math.PI * LOW_PASS_HZ * place) / SAMPLE_RATE_HZ;
    const hann = 0.5 + 0.5 * Math.cos((Math.PI * place) / LOW_PASS_REACH);
    return hann * (place === 0 ? 1 : Math.sin(angle) / angle);
  });
  const sum = kernel.reduce((total, value) => total + value, 0);
  const padded = new Float64Array(samples.length + 2 * LOW_PASS_REACH);
  padded.set(samples, LOW_PASS_REACH);
  return samples.map((_, index) => {
    let total = 0;
    for (let tap = 0; tap < kernel.length; tap++) total += kernel[tap]! * padded[index + tap]!;
    return total / sum;
  });
}

/** Normalised autocorrelation of each value for the lags up to the longest, and the energy of its window. */
function correlate(
  samples: Float32Array,
  count: number,
): { readonly correlations: readonly Float64Array[]; readonly energies: Float64Array } {
  const fft = new Fft(TRANSFORM);
  const padded = new Float64Array(samples.length + 2 * MARGIN + HOP);
  padded.set(samples, MARGIN);
  const energies = new Float64Array(count);
  const correlations = Array.from({ length: count }, (_, value) => {
    const frame = padded.subarray(value * HOP, value * HOP + FRAME);
    const products = productsOf(fft, frame);
    const sums = new Float64Array(FRAME + 1);
    for (let index = 0; index < FRAME; index++) sums[index + 1] = sums[index]! + frame[index]! ** 2;
    const energy = sums[WINDOW]!;
    energies[value] = energy;
    return products.map((product, lag) => {
      const shifted = sums[WINDOW + lag]! - sums[lag]!;
      return product / Math.sqrt(Math.max(energy * shifted, 1e-9));
    });
  });
  return { correlations, energies };
}

/** Products of the first window of a frame with the windows at all lags. Both transforms are one: the frame is real. */
function productsOf(fft: Fft, frame: Float64Array): Float64Array {
  const real = new Float64Array(TRANSFORM);
  const imaginary = new Float64Array(TRANSFORM);
  real.set(frame);
  imaginary.set(frame.subarray(0, WINDOW));
  fft.transform(real, imaginary);
  const productReal = new Float64Array(TRANSFORM);
  const productImaginary = new Float64Array(TRANSFORM);
  for (let bin = 0; bin < TRANSFORM; bin++) {
    const mirror = (TRANSFORM - bin) % TRANSFORM;
    const frameReal = (real[bin]! + real[mirror]!) / 2;
    const frameImaginary = (imaginary[bin]! - imaginary[mirror]!) / 2;
    const headReal = (imaginary[bin]! + imaginary[mirror]!) / 2;
    const headImaginary = (real[mirror]! - real[bin]!) / 2;
    productReal[bin] = frameReal * headReal + frameImaginary * headImaginary;
    // Conjugated, because the transform of the conjugate is the inverse transform of a real signal.
    productImaginary[bin] = frameReal * headImaginary - frameImaginary * headReal;
  }
  fft.transform(productReal, productImaginary);
  return productReal.subarray(0, LONGEST + 1).map((value) => value / TRANSFORM);
}

/** Scores of the states of a value. */
function scoresOf(correlation: Float64Array, isQuiet: boolean): Float64Array {
  const scores = new Float64Array(STATES);
  for (let state = 0; state < LAGS.length; state++) {
    const lag = LAGS[state]!;
    const low = Math.min(LONGEST - 1, Math.floor(lag));
    const between = correlation[low]! * (1 - (lag - low)) + correlation[low + 1]! * (lag - low);
    scores[state] = between - LONG_LAG_COST * Math.log2(lag / SHORTEST) + (isQuiet ? IMPOSSIBLE : 0);
  }
  scores[UNVOICED] = UNVOICED_SCORE;
  return scores;
}

/** The sequence of states with the highest sum of scores less costs of their changes. */
function bestPath(scores: readonly Float64Array[]): Uint8Array {
  const path = new Uint8Array(scores.length);
  if (scores.length === 0) return path;
  const octaves = Math.log2(LONGEST / SHORTEST) / (LAGS.length - 1);
  const jumpCosts = LAGS.map((_, distance) => Math.min(JUMP_COST_MAX, OCTAVE_COST * octaves * distance));
  const costOf = (from: number, to: number) => {
    if (from < UNVOICED && to < UNVOICED) return jumpCosts[Math.abs(from - to)]!;
    return from === to ? 0 : VOICING_COST;
  };
  const origins = new Uint8Array(scores.length * STATES);
  let best = scores[0]!;
  for (let value = 1; value < scores.length; value++) {
    const next = new Float64Array(STATES);
    for (let to = 0; to < STATES; to++) {
      let reached = Number.NEGATIVE_INFINITY;
      for (let from = 0; from < STATES; from++) {
        const score = best[from]! - costOf(from, to);
        if (score <= reached) continue;
        reached = score;
        origins[value * STATES + to] = from;
      }
      next[to] = reached + scores[value]![to]!;
    }
    best = next;
  }
  let state = best.indexOf(Math.max(...best));
  for (let value = scores.length - 1; value >= 0; value--) {
    path[value] = state;
    state = origins[value * STATES + state]!;
  }
  return path;
}

/** The lag of the highest correlation near a lag, between samples. */
function peakNear(correlation: Float64Array, lag: number): number {
  let peak = Math.min(LONGEST - 1, Math.round(lag));
  const from = Math.max(SHORTEST, peak - PEAK_REACH);
  const to = Math.min(LONGEST - 1, peak + PEAK_REACH);
  for (let at = from; at <= to; at++) if (correlation[at]! > correlation[peak]!) peak = at;
  const [left, centre, right] = [correlation[peak - 1]!, correlation[peak]!, correlation[peak + 1]!];
  const curvature = Math.min(-1e-6, left - 2 * centre + right);
  return peak + Math.min(0.5, Math.max(-0.5, (0.5 * (left - right)) / curvature));
}
