import { EVEN_TAPS, FILTER_TAPS, ODD_TAPS, SPECTRA_PER_FRAME } from './frame-sequence.ts';

const HOP_SAMPLES = FILTER_TAPS / 2;
const SPREAD_SAMPLES = HOP_SAMPLES * (SPECTRA_PER_FRAME + 1);

/** Input of the STFT filters: one row per spectrum. */
export interface FoldedSpectra {
  readonly even: Float32Array;
  readonly odd: Float32Array;
}

/**
 * Sums and differences of the samples on both sides of the centre of each spectrum, since the filters are even
 * (cosine) or odd (sine) around it. Windows start every `hopSamples` samples. The end of a window is padded by
 * reflection, as in the training of the model.
 */
export function foldSpectra(
  audio: Float32Array,
  { windows, windowSamples, hopSamples }: { windows: number; windowSamples: number; hopSamples: number },
): FoldedSpectra {
  const rows = windows * SPECTRA_PER_FRAME;
  const even = new Float32Array(rows * EVEN_TAPS);
  const odd = new Float32Array(rows * ODD_TAPS);
  const spread = new Float32Array(SPREAD_SAMPLES);
  for (let row = 0; row < rows; row++) {
    const spectrum = row % SPECTRA_PER_FRAME;
    if (spectrum === 0) {
      const start = (row / SPECTRA_PER_FRAME) * hopSamples;
      spread.set(audio.subarray(start, start + windowSamples));
      for (let at = windowSamples; at < SPREAD_SAMPLES; at++)
        spread[at] = spread[2 * windowSamples - 2 - at]!;
    }
    const first = spectrum * HOP_SAMPLES;
    const centre = first + HOP_SAMPLES;
    even[row * EVEN_TAPS] = spread[first]!;
    even[row * EVEN_TAPS + HOP_SAMPLES] = spread[centre]!;
    for (let tap = 1; tap < HOP_SAMPLES; tap++) {
      const before = spread[first + tap]!;
      const behind = spread[first + FILTER_TAPS - tap]!;
      even[row * EVEN_TAPS + tap] = before + behind;
      odd[row * ODD_TAPS + tap - 1] = before - behind;
    }
  }
  return { even, odd };
}
