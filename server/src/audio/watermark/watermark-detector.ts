import { Fft } from '../fft.ts';
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
  START,
  SYMBOL_VALUES,
  SYMBOLS,
  type WatermarkPattern,
} from './watermark-pattern.ts';

/** Sounds are searched at this rate. */
export const DETECTION_RATE_HZ = 16_000;
/** A sound without the mark is taken for marked with a smaller probability than this, whatever it is. */
export const FALSE_ALARM = 1e-5;

const SIZE = 512;
const HOP = 128;
const BIN_HZ = DETECTION_RATE_HZ / SIZE;
const BAND_BINS = BAND_HZ / BIN_HZ;
const FIRST_BIN = LOWEST_HZ / BIN_HZ;
const SLOT_FRAMES = (SLOT_SECONDS * DETECTION_RATE_HZ) / HOP;
const ROW_FRAMES = CHIP_SLOTS * SLOT_FRAMES;
const PERIOD_FRAMES = ROWS * ROW_FRAMES;
/** A mark may begin and end anywhere in a long sound: it is searched in stretches of two blocks. */
const BLOCK_FRAMES = Math.round((10 * DETECTION_RATE_HZ) / HOP);

/** Frames of a slot count the more the nearer they are to its middle. */
const SLOT_WEIGHTS = [1, 2, 2, 2, 1].map((weight) => weight / 8);
/** Digital silence has no logarithm. */
const POWER_FLOOR = 1e-14;
/** A chip of a voice differs by several dB by itself; none counts for more than so many. */
const CHIP_MAX_DB = 6;

/** What was found out about a sound. */
export interface WatermarkFinding {
  readonly isMarked: boolean;
  /** How far the pattern stands out, in standard deviations of a sound without it, and from where on it is found. */
  readonly score: number;
  readonly scoreMin: number;
  /** What it is marked with; means nothing unless it is marked. */
  readonly number: number;
  /** The stretch where it stands out most. */
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** Searches a sound for the marks of a key as it goes by, in constant memory. Takes mono at `DETECTION_RATE_HZ`. */
export class WatermarkDetector {
  readonly #pattern: WatermarkPattern;
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
  #best: Omit<WatermarkFinding, 'isMarked' | 'scoreMin'> = {
    score: 0,
    number: 0,
    startSeconds: 0,
    endSeconds: 0,
  };

  constructor(pattern: WatermarkPattern) {
    this.#pattern = pattern;
  }

  push(samples: Float32Array): void {
    const input = joinSamples([this.#waiting, samples]);
    let from = 0;
    for (; from + SIZE <= input.length; from += HOP) this.#addFrame(input, from);
    this.#waiting = input.slice(from);
  }

  /** What was found. Nothing may be pushed after. */
  finish(): WatermarkFinding {
    if (this.#frames % BLOCK_FRAMES > 0 || this.#blocks === 0) this.#endBlock();
    // Hoeffding: a weighted sum of random signs exceeds t deviations with a probability below exp(-t²/2). As many
    // sums are looked at as there are places where a period may begin, in each stretch.
    const scoreMin = Math.sqrt(2 * Math.log((PERIOD_FRAMES * this.#blocks) / FALSE_ALARM));
    return { ...this.#best, scoreMin, isMarked: this.#best.score >= scoreMin };
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
    const stretch = previous === undefined ? block : block.map((value, i) => value + (previous[i] as number));
    const found = findPeriod(stretch, this.#pattern);
    if (found.score > this.#best.score) {
      const secondsOf = (frames: number) => (frames * HOP) / DETECTION_RATE_HZ;
      this.#best = {
        score: found.score,
        number: readNumber(stretch, found.start, this.#pattern),
        startSeconds: secondsOf(Math.max(this.#blocks - 1, 0) * BLOCK_FRAMES),
        endSeconds: secondsOf(this.#frames),
      };
    }
    this.#previous = block;
    this.#block = new Float64Array(block.length);
    this.#blocks++;
  }
}

/** Where in a period a stretch begins, and how far it stands out there. */
function findPeriod(stretch: Float64Array, pattern: WatermarkPattern): { score: number; start: number } {
  let best = { score: 0, start: 0 };
  for (let start = 0; start < PERIOD_FRAMES; start++) {
    let sum = 0;
    let power = 0;
    for (let row = 0; row < ROWS; row++) {
      const from = ((start + row * ROW_FRAMES) % PERIOD_FRAMES) * COLUMNS;
      for (let column = 0; column < COLUMNS; column++) {
        const chip = row * COLUMNS + column;
        if (pattern.roles[chip] !== START) continue;
        const value = stretch[from + column] as number;
        sum += value * pattern.turn(chip, 0);
        power += value * value;
      }
    }
    const score = power === 0 ? 0 : sum / Math.sqrt(power);
    if (score > best.score) best = { score, start };
  }
  return best;
}

/** The likeliest value of each symbol, as one number. */
function readNumber(stretch: Float64Array, start: number, pattern: WatermarkPattern): number {
  const sums = new Float64Array(SYMBOLS * SYMBOL_VALUES);
  for (const [chip, role] of pattern.roles.entries()) {
    if (role === START) continue;
    const row = (start + Math.floor(chip / COLUMNS) * ROW_FRAMES) % PERIOD_FRAMES;
    const level = stretch[row * COLUMNS + (chip % COLUMNS)] as number;
    for (let value = 0; value < SYMBOL_VALUES; value++) {
      sums[role * SYMBOL_VALUES + value]! += level * pattern.turn(chip, value);
    }
  }
  let number = 0;
  for (let symbol = SYMBOLS - 1; symbol >= 0; symbol--) {
    const own = sums.subarray(symbol * SYMBOL_VALUES, (symbol + 1) * SYMBOL_VALUES);
    number = number * SYMBOL_VALUES + own.indexOf(Math.max(...own));
  }
  return number;
}

function weightedMean(rows: readonly Float64Array[]): Float64Array {
  return Float64Array.from({ length: BANDS }, (_, band) =>
    rows.reduce((sum, row, i) => sum + (SLOT_WEIGHTS[i] as number) * (row[band] as number), 0),
  );
}
