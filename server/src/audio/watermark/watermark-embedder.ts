import { Fft } from '../dsp/fft.ts';
import { joinSamples } from '../pcm.ts';
import {
  BAND_HZ,
  BANDS,
  CHIP_SLOTS,
  LOWEST_HZ,
  ROWS,
  SLOT_SECONDS,
  type WatermarkPattern,
} from './watermark-pattern.ts';

/** Short enough for several frames per slot, long enough to resolve the bands. */
const WINDOW_SECONDS = 0.0213;
/** Level change of a band; changes are audible from about 1 dB on. */
const STEP_DB = 0.75;

const RAISED = 10 ** (STEP_DB / 20) - 1;
const LOWERED = 10 ** (-STEP_DB / 20) - 1;

/** A watermark: a number, and the pattern of the key that encodes it. */
export interface Watermark {
  readonly pattern: WatermarkPattern;
  readonly number: number;
}

/** Embeds a watermark in a stream. The length does not change; the latency is at most 40 ms. */
export class WatermarkEmbedder {
  readonly #fft: Fft;
  readonly #hop: number;
  /** Samples that consecutive frames share. */
  readonly #overlap: number;
  readonly #window: Float64Array;
  readonly #signs: Int8Array;
  readonly #slotOf: (frame: number) => number;
  /** The first bin of each band, and the end of the last band. */
  readonly #edges: Uint32Array;
  /** Two frames, transformed together as the real and the imaginary part of one signal. */
  readonly #first: Float64Array;
  readonly #second: Float64Array;
  /** The watermark signal of the next samples. */
  readonly #difference: Float64Array;
  /** Samples that wait for their frames, initially the silence before the first frame. */
  #pending: Float32Array;
  #frame = 0;
  /** Samples of the initial silence that are still to be dropped from the output. */
  #leadingSilence: number;
  /** Input samples that were not yet returned. */
  #heldSamples = 0;

  constructor({ pattern, number, sampleRateHz }: Watermark & { readonly sampleRateHz: number }) {
    const size = 2 ** Math.round(Math.log2(sampleRateHz * WINDOW_SECONDS));
    this.#fft = new Fft(size);
    this.#overlap = size / 4;
    this.#hop = size - this.#overlap;
    // The squares of overlapping windows add up to 1.
    this.#window = Float64Array.from({ length: size }, (_, i) => {
      const fromEdge = Math.min(i, size - 1 - i) + 0.5;
      return Math.sin((Math.PI / 2) * Math.min(fromEdge / this.#overlap, 1));
    });
    this.#signs = pattern.signsOf(number);
    this.#slotOf = (frame) => {
      const centre = frame * this.#hop - this.#overlap + size / 2;
      return Math.floor(centre / (SLOT_SECONDS * sampleRateHz)) % (ROWS * CHIP_SLOTS);
    };
    const binHz = sampleRateHz / size;
    this.#edges = Uint32Array.from({ length: BANDS + 1 }, (_, band) =>
      Math.min(Math.round((LOWEST_HZ + band * BAND_HZ) / binHz), size / 2),
    );
    this.#first = new Float64Array(size);
    this.#second = new Float64Array(size);
    this.#difference = new Float64Array(2 * this.#hop + this.#overlap);
    this.#pending = new Float32Array(this.#overlap);
    this.#leadingSilence = this.#overlap;
  }

  process(samples: Float32Array): Float32Array {
    this.#heldSamples += samples.length;
    const input = joinSamples([this.#pending, samples]);
    const step = 2 * this.#hop;
    const pairs = Math.max(Math.floor((input.length - this.#overlap) / step), 0);
    const output = input.slice(0, pairs * step);
    for (let from = 0; from < output.length; from += step) {
      this.#addPair(input, from);
      for (let i = 0; i < step; i++) output[from + i]! += this.#difference[i] as number;
      this.#difference.copyWithin(0, step);
      this.#difference.fill(0, this.#overlap);
    }
    this.#pending = input.slice(output.length);
    const ready = output.subarray(this.#leadingSilence);
    if (output.length > 0) this.#leadingSilence = 0;
    this.#heldSamples -= ready.length;
    return ready;
  }

  /** Returns the remaining samples. Ends the stream. */
  flush(): Float32Array {
    const remaining = this.#heldSamples;
    return this.process(new Float32Array(3 * this.#hop)).subarray(0, remaining);
  }

  /** Adds the watermark signal of the two frames at `from`. */
  #addPair(input: Float32Array, from: number): void {
    const first = this.#first;
    const second = this.#second;
    const window = this.#window;
    const hop = this.#hop;
    for (let i = 0; i < window.length; i++) {
      first[i] = (window[i] as number) * (input[from + i] as number);
      second[i] = (window[i] as number) * (input[from + hop + i] as number);
    }
    this.#fft.transform(first, second);
    this.#applySigns();
    // The transform with exchanged real and imaginary parts is the inverse, except for the scale.
    this.#fft.transform(second, first);
    for (let i = 0; i < window.length; i++) {
      const scale = (window[i] as number) / window.length;
      this.#difference[i]! += scale * (first[i] as number);
      this.#difference[i + hop]! += scale * (second[i] as number);
    }
  }

  /** Replaces the spectra of the two frames by the spectra of their watermark signals. */
  #applySigns(): void {
    const re = this.#first;
    const im = this.#second;
    const size = re.length;
    const from = this.#edges[0] as number;
    const to = this.#edges[BANDS] as number;
    for (const part of [re, im])
      part
        .fill(0, 0, from)
        .fill(0, to, size - to + 1)
        .fill(0, size - from + 1);
    const slots = [this.#slotOf(this.#frame) * BANDS, this.#slotOf(this.#frame + 1) * BANDS] as const;
    this.#frame += 2;
    for (let band = 0; band < BANDS; band++) {
      // Halved: the spectra of the two real signals are sums and differences of mirrored bins.
      const a = 0.5 * ((this.#signs[slots[0] + band] as number) > 0 ? RAISED : LOWERED);
      const b = 0.5 * ((this.#signs[slots[1] + band] as number) > 0 ? RAISED : LOWERED);
      for (let bin = this.#edges[band] as number; bin < (this.#edges[band + 1] as number); bin++) {
        const mirror = size - bin;
        const aRe = a * ((re[bin] as number) + (re[mirror] as number));
        const aIm = a * ((im[bin] as number) - (im[mirror] as number));
        const bRe = b * ((im[bin] as number) + (im[mirror] as number));
        const bIm = b * ((re[mirror] as number) - (re[bin] as number));
        re[bin] = aRe - bIm;
        im[bin] = aIm + bRe;
        re[mirror] = aRe + bIm;
        im[mirror] = bRe - aIm;
      }
    }
  }
}
