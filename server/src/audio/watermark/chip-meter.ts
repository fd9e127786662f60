import { Fft } from '../dsp/fft.ts';
import { joinSamples } from '../pcm.ts';
import {
  BAND_HZ,
  BANDS,
  CHIP_BANDS,
  CHIP_SLOTS,
  COLUMNS,
  LOWEST_HZ,
  ROWS,
  SLOT_SECONDS,
} from './watermark-pattern.ts';

/** Sample rate of the detection. */
export const DETECTION_RATE_HZ = 16_000;

const FRAME_SAMPLES = 512;
const HOP_SAMPLES = 128;
const BIN_HZ = DETECTION_RATE_HZ / FRAME_SAMPLES;
const BAND_BINS = BAND_HZ / BIN_HZ;
const FIRST_BIN = LOWEST_HZ / BIN_HZ;
const SLOT_FRAMES = (SLOT_SECONDS * DETECTION_RATE_HZ) / HOP_SAMPLES;
/** Frames from one row of chips to the next. */
export const ROW_FRAMES = CHIP_SLOTS * SLOT_FRAMES;
export const PERIOD_FRAMES = ROWS * ROW_FRAMES;
/** A watermark may begin and end anywhere in a recording, so it is searched in overlapping segments of two blocks (20 s). */
const BLOCK_FRAMES = Math.round((10 * DETECTION_RATE_HZ) / HOP_SAMPLES);

/** Weights of the frames of a slot, highest at its centre. */
const SLOT_WEIGHTS = [1, 2, 2, 2, 1].map((weight) => weight / 8);
/** Keeps the logarithm of digital silence finite. */
const POWER_FLOOR = 1e-14;
/** Chip values are clipped to this magnitude, because speech alone causes differences of several dB. */
const CHIP_MAX_DB = 6;

/** A segment of a recording, in which a watermark is searched. */
export interface ChipSegment {
  /** The chip values in dB, summed over all periods: `COLUMNS` values for each of `PERIOD_FRAMES` frames. */
  readonly chips: Float64Array;
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** Measures the chip values of a stream, independent of any key. Takes mono audio at `DETECTION_RATE_HZ`. */
export class ChipMeter {
  readonly #onSegment: (segment: ChipSegment) => void;
  readonly #fft = new Fft(FRAME_SAMPLES);
  readonly #window = Float64Array.from(
    { length: FRAME_SAMPLES },
    (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / FRAME_SAMPLES),
  );
  readonly #real = new Float64Array(FRAME_SAMPLES);
  readonly #imaginary = new Float64Array(FRAME_SAMPLES);
  #pending: Float32Array = new Float32Array();
  /** Band levels in dB of the last frames, for smoothing, and the smoothed levels of the last slot. */
  readonly #levels: Float64Array[] = [];
  readonly #slots: Float64Array[] = [];
  #frames = 0;
  #previous: Float64Array | undefined;
  #block = new Float64Array(PERIOD_FRAMES * COLUMNS);
  #blocks = 0;

  constructor(onSegment: (segment: ChipSegment) => void) {
    this.#onSegment = onSegment;
  }

  push(samples: Float32Array): void {
    const input = joinSamples([this.#pending, samples]);
    let from = 0;
    for (; from + FRAME_SAMPLES <= input.length; from += HOP_SAMPLES) this.#addFrame(input, from);
    this.#pending = input.slice(from);
  }

  /** Reports the last segment; there is at least one. Ends the stream. */
  finish(): void {
    if (this.#frames % BLOCK_FRAMES > 0 || this.#blocks === 0) this.#endBlock();
  }

  #addFrame(input: Float32Array, from: number): void {
    const real = this.#real;
    for (let i = 0; i < FRAME_SAMPLES; i++)
      real[i] = (this.#window[i] as number) * (input[from + i] as number);
    this.#imaginary.fill(0);
    this.#fft.transform(real, this.#imaginary);
    this.#levels.push(this.#bandLevels());
    if (this.#levels.length > SLOT_WEIGHTS.length) this.#levels.shift();
    if (this.#levels.length === SLOT_WEIGHTS.length) this.#addSlot(weightedMean(this.#levels));
  }

  /** The mean level in dB of the bins of each band, so that bins between the harmonics have the same weight. */
  #bandLevels(): Float64Array {
    return Float64Array.from({ length: BANDS }, (_, band) => {
      let product = 1;
      for (let i = 0; i < BAND_BINS; i++) {
        const bin = FIRST_BIN + band * BAND_BINS + i;
        product *= (this.#real[bin] as number) ** 2 + (this.#imaginary[bin] as number) ** 2 + POWER_FLOOR;
      }
      return (10 / BAND_BINS) * Math.log10(product);
    });
  }

  #addSlot(levels: Float64Array): void {
    this.#slots.push(levels);
    if (this.#slots.length <= SLOT_FRAMES) return;
    const before = this.#slots.shift() as Float64Array;
    const row = (this.#frames % PERIOD_FRAMES) * COLUMNS;
    for (let column = 0; column < COLUMNS; column++) {
      const [low, high] = [column * CHIP_BANDS, column * CHIP_BANDS + 1];
      const now = (levels[low] as number) - (levels[high] as number);
      const change = (before[low] as number) - (before[high] as number) - now;
      this.#block[row + column]! += Math.min(Math.max(change, -CHIP_MAX_DB), CHIP_MAX_DB);
    }
    this.#frames++;
    if (this.#frames % BLOCK_FRAMES === 0) this.#endBlock();
  }

  #endBlock(): void {
    const { previous, block } = { previous: this.#previous, block: this.#block };
    const secondsOf = (frames: number) => (frames * HOP_SAMPLES) / DETECTION_RATE_HZ;
    this.#onSegment({
      chips: previous === undefined ? block : block.map((value, i) => value + (previous[i] as number)),
      startSeconds: secondsOf(Math.max(this.#blocks - 1, 0) * BLOCK_FRAMES),
      endSeconds: secondsOf(this.#frames),
    });
    this.#previous = block;
    this.#block = new Float64Array(block.length);
    this.#blocks++;
  }
}

function weightedMean(rows: readonly Float64Array[]): Float64Array {
  return Float64Array.from({ length: BANDS }, (_, band) =>
    rows.reduce((sum, row, i) => sum + (SLOT_WEIGHTS[i] as number) * (row[band] as number), 0),
  );
}
