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

/** Sounds are searched at this rate. */
export const DETECTION_RATE_HZ = 16_000;

const SIZE = 512;
const HOP = 128;
const BIN_HZ = DETECTION_RATE_HZ / SIZE;
const BAND_BINS = BAND_HZ / BIN_HZ;
const FIRST_BIN = LOWEST_HZ / BIN_HZ;
const SLOT_FRAMES = (SLOT_SECONDS * DETECTION_RATE_HZ) / HOP;
/** From one row of chips to the next. */
export const ROW_FRAMES = CHIP_SLOTS * SLOT_FRAMES;
export const PERIOD_FRAMES = ROWS * ROW_FRAMES;
/** A mark may begin and end anywhere in a long sound: it is searched in stretches of two blocks. */
const BLOCK_FRAMES = Math.round((10 * DETECTION_RATE_HZ) / HOP);

/** Frames of a slot count the more the nearer they are to its middle. */
const SLOT_WEIGHTS = [1, 2, 2, 2, 1].map((weight) => weight / 8);
/** Digital silence has no logarithm. */
const POWER_FLOOR = 1e-14;
/** A chip of a voice differs by several dB by itself; none counts for more than so many. */
const CHIP_MAX_DB = 6;

/** Part of a sound, in which a mark is looked for. */
export interface Stretch {
  /** How far each chip is turned, all periods laid over each other: `COLUMNS` for each of `PERIOD_FRAMES` frames. */
  readonly chips: Float64Array;
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** Measures the chips of a sound as it goes by, whoever may have turned them. Takes mono at `DETECTION_RATE_HZ`. */
export class ChipMeter {
  readonly #onStretch: (stretch: Stretch) => void;
  readonly #fft = new Fft(SIZE);
  readonly #window = Float64Array.from(
    { length: SIZE },
    (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / SIZE),
  );
  readonly #real = new Float64Array(SIZE);
  readonly #imaginary = new Float64Array(SIZE);
  #waiting: Float32Array = new Float32Array();
  /** Levels of the last frames in dB, as many as a slot is smoothed over, and smoothed ones up to a slot back. */
  readonly #levels: Float64Array[] = [];
  readonly #slots: Float64Array[] = [];
  #frames = 0;
  #previous: Float64Array | undefined;
  #block = new Float64Array(PERIOD_FRAMES * COLUMNS);
  #blocks = 0;

  constructor(onStretch: (stretch: Stretch) => void) {
    this.#onStretch = onStretch;
  }

  push(samples: Float32Array): void {
    const input = joinSamples([this.#waiting, samples]);
    let from = 0;
    for (; from + SIZE <= input.length; from += HOP) this.#addFrame(input, from);
    this.#waiting = input.slice(from);
  }

  /** Gives what is left, at least one stretch in all, after which nothing may come. */
  finish(): void {
    if (this.#frames % BLOCK_FRAMES > 0 || this.#blocks === 0) this.#endBlock();
  }

  #addFrame(input: Float32Array, from: number): void {
    const real = this.#real;
    for (let i = 0; i < SIZE; i++) real[i] = (this.#window[i] as number) * (input[from + i] as number);
    this.#imaginary.fill(0);
    this.#fft.transform(real, this.#imaginary);
    this.#levels.push(this.#bandLevels());
    if (this.#levels.length > SLOT_WEIGHTS.length) this.#levels.shift();
    if (this.#levels.length === SLOT_WEIGHTS.length) this.#addSlot(weightedMean(this.#levels));
  }

  /** The mean of the levels of a band's bins: quiet ones between the harmonics tell as much as loud ones. */
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
      const turn = (before[low] as number) - (before[high] as number) - now;
      this.#block[row + column]! += Math.min(Math.max(turn, -CHIP_MAX_DB), CHIP_MAX_DB);
    }
    this.#frames++;
    if (this.#frames % BLOCK_FRAMES === 0) this.#endBlock();
  }

  #endBlock(): void {
    const { previous, block } = { previous: this.#previous, block: this.#block };
    const secondsOf = (frames: number) => (frames * HOP) / DETECTION_RATE_HZ;
    this.#onStretch({
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
