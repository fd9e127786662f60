import { Fft } from '../../../../audio/dsp/fft.ts';
import { GaussianNoise } from '../../../../audio/dsp/gaussian-noise.ts';

const WINDOW = 512;
const HOP = 128;
const BINS = WINDOW / 2 + 1;
/** Share of the frames of a recording that are taken for its background: the quietest ones. */
const QUIET_SHARE = 0.1;
const HANN = Float64Array.from(
  { length: WINDOW },
  (_, index) => 0.5 - 0.5 * Math.cos((2 * Math.PI * index) / WINDOW),
);
/** Power of a bin of windowed white noise with a deviation of 1. */
const WHITE_POWER = HANN.reduce((sum, value) => sum + value * value, 0);
/** Sum of the squared windows at any sample. */
const OVERLAP = WHITE_POWER / HOP;

/** The mean power of each bin in the quietest frames of a recording; zeros if it is shorter than a frame. */
export function backgroundSpectrum(samples: Float32Array): Float64Array {
  const fft = new Fft(WINDOW);
  const count = Math.max(0, Math.floor((samples.length - WINDOW) / HOP) + 1);
  const frameAt = (index: number) => samples.subarray(index * HOP, index * HOP + WINDOW);
  const energies = Array.from({ length: count }, (_, index) =>
    frameAt(index).reduce((sum, value, place) => sum + (value * HANN[place]!) ** 2, 0),
  );
  const quietest = energies
    .map((_, index) => index)
    .sort((a, b) => energies[a]! - energies[b]!)
    .slice(0, Math.max(1, Math.floor(QUIET_SHARE * count)));
  const powers = new Float64Array(BINS);
  for (const index of count === 0 ? [] : quietest) {
    const real = Float64Array.from(frameAt(index), (value, place) => value * HANN[place]!);
    const imaginary = new Float64Array(WINDOW);
    fft.transform(real, imaginary);
    for (let bin = 0; bin < BINS; bin++)
      powers[bin]! += (real[bin]! ** 2 + imaginary[bin]! ** 2) / quietest.length;
  }
  return powers;
}

/** Gaussian noise with this spectrum, equal for equal seeds. */
export function noiseLike(spectrum: Float64Array, length: number, seed: number): Float32Array {
  const fft = new Fft(WINDOW);
  const white = new Float32Array(length + 2 * WINDOW);
  new GaussianNoise(seed).fill(white);
  const shaped = new Float64Array(white.length);
  const gains = Float64Array.from({ length: WINDOW }, (_, bin) =>
    Math.sqrt(spectrum[Math.min(bin, WINDOW - bin)]! / WHITE_POWER),
  );
  const real = new Float64Array(WINDOW);
  const imaginary = new Float64Array(WINDOW);
  for (let start = 0; start + WINDOW <= white.length; start += HOP) {
    for (let place = 0; place < WINDOW; place++) real[place] = white[start + place]! * HANN[place]!;
    imaginary.fill(0);
    fft.transform(real, imaginary);
    for (let bin = 0; bin < WINDOW; bin++) {
      real[bin]! *= gains[bin]!;
      // The transform of the complex conjugate is the inverse transform of a real signal.
      imaginary[bin]! *= -gains[bin]!;
    }
    fft.transform(real, imaginary);
    for (let place = 0; place < WINDOW; place++)
      shaped[start + place]! += (real[place]! * HANN[place]!) / (WINDOW * OVERLAP);
  }
  return Float32Array.from(shaped.subarray(WINDOW, WINDOW + length));
}
