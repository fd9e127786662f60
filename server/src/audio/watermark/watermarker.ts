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

/** Short enough for several windows in a slot, long enough to tell bands apart. */
const WINDOW_SECONDS = 0.0213;
/** By so much a band is raised or lowered; differences in level are noticed from about 1 dB on. */
const STEP_DB = 0.75;

const RAISED = 10 ** (STEP_DB / 20) - 1;
const LOWERED = 10 ** (-STEP_DB / 20) - 1;

/** A number to mark a sound with. */
export interface Mark {
  readonly pattern: WatermarkPattern;
  readonly number: number;
}

/** Marks a sound as it goes by. What comes out is as long as what went in, and up to 40 ms later. */
export class Watermarker {
  readonly #fft: Fft;
  readonly #hop: number;
  /** Neighbouring frames share so many samples. */
  readonly #overlap: number;
  readonly #window: Float64Array;
  readonly #signs: Int8Array;
  readonly #slotOf: (frame: number) => number;
  /** The first bin of each band, and the end of the last. */
  readonly #edges: Uint32Array;
  /** Two frames, as the real and the imaginary part of one signal. */
  readonly #first: Float64Array;
  readonly #second: Float64Array;
  /** What is added to the next samples. */
  readonly #added: Float64Array;
  /** Samples that wait for their frames, after as much silence as a frame needs before it. */
  #waiting: Float32Array;
  #frame = 0;
  /** Of what comes out next, so much is the silence from the beginning. */
  #silent: number;
  /** Samples that went in and did not come out. */
  #owed = 0;

  constructor({ pattern, number, sampleRateHz }: Mark & { readonly sampleRateHz: number }) {
    const size = 2 ** Math.round(Math.log2(sampleRateHz * WINDOW_SECONDS));
    this.#fft = new Fft(size);
    this.#overlap = size / 4;
    this.#hop = size - this.#overlap;
    // Where two windows overlap, their squares add up to one.
    this.#window = Float64Array.from({ length: size }, (_, i) => {
      const fromEdge = Math.min(i, size - 1 - i) + 0.5;
      return Math.sin((Math.PI / 2) * Math.min(fromEdge / this.#overlap, 1));
    });
    this.#signs = pattern.signsOf(number);
    this.#slotOf = (frame) => {
      const middle = frame * this.#hop - this.#overlap + size / 2;
      return Math.floor(middle / (SLOT_SECONDS * sampleRateHz)) % (ROWS * CHIP_SLOTS);
    };
    const binHz = sampleRateHz / size;
    this.#edges = Uint32Array.from({ length: BANDS + 1 }, (_, band) =>
      Math.min(Math.round((LOWEST_HZ + band * BAND_HZ) / binHz), size / 2),
    );
    this.#first = new Float64Array(size);
    this.#second = new Float64Array(size);
    this.#added = new Float64Array(2 * this.#hop + this.#overlap);
    this.#waiting = new Float32Array(this.#overlap);
    this.#silent = this.#overlap;
  }

  process(samples: Float32Array): Float32Array {
    this.#owed += samples.length;
    const input = joinSamples([this.#waiting, samples]);
    const step = 2 * this.#hop;
    const pairs = Math.max(Math.floor((input.length - this.#overlap) / step), 0);
    const output = input.slice(0, pairs * step);
    for (let from = 0; from < output.length; from += step) {
      this.#markPair(input, from);
      for (let i = 0; i < step; i++) output[from + i]! += this.#added[i] as number;
      this.#added.copyWithin(0, step);
      this.#added.fill(0, this.#overlap);
    }
    this.#waiting = input.slice(output.length);
    const ready = output.subarray(this.#silent);
    if (output.length > 0) this.#silent = 0;
    this.#owed -= ready.length;
    return ready;
  }

  /** What is left, after which nothing may come. */
  flush(): Float32Array {
    const owed = this.#owed;
    return this.process(new Float32Array(3 * this.#hop)).subarray(0, owed);
  }

  /** Adds what marks the two frames from here on. */
  #markPair(input: Float32Array, from: number): void {
    const first = this.#first;
    const second = this.#second;
    const window = this.#window;
    const hop = this.#hop;
    for (let i = 0; i < window.length; i++) {
      first[i] = (window[i] as number) * (input[from + i] as number);
      second[i] = (window[i] as number) * (input[from + hop + i] as number);
    }
    this.#fft.transform(first, second);
    this.#keepDifference();
    // The transform of the exchanged parts is the way back, but for the scale.
    this.#fft.transform(second, first);
    for (let i = 0; i < window.length; i++) {
      const scale = (window[i] as number) / window.length;
      this.#added[i]! += scale * (first[i] as number);
      this.#added[i + hop]! += scale * (second[i] as number);
    }
  }

  /** Turns the spectra of the two frames into what is to be added to them. */
  #keepDifference(): void {
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
      // Halved, since the spectra of the two real signals are sums and differences of mirrored bins.
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
