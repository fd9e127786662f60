import { ChipMeter, PERIOD_FRAMES, ROW_FRAMES, type Stretch } from './chip-meter.ts';
import { COLUMNS, START, SYMBOL_VALUES, SYMBOLS, type WatermarkPattern } from './watermark-pattern.ts';

/** A sound without the mark is taken for marked with a smaller probability than this, whatever it is. */
export const FALSE_ALARM = 1e-5;

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
  readonly #meter = new ChipMeter((stretch) => this.#search(stretch));
  #stretches = 0;
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
    this.#meter.push(samples);
  }

  /** What was found. Nothing may be pushed after. */
  finish(): WatermarkFinding {
    this.#meter.finish();
    const scoreMin = scoreFor(FALSE_ALARM, this.#stretches);
    return { ...this.#best, scoreMin, isMarked: this.#best.score >= scoreMin };
  }

  #search({ chips, startSeconds, endSeconds }: Stretch): void {
    this.#stretches++;
    const { score, start } = findPeriod(chips, this.#pattern);
    if (score <= this.#best.score) return;
    this.#best = { score, number: readNumber(chips, start, this.#pattern), startSeconds, endSeconds };
  }
}

/**
 * The score that a sound of so many stretches reaches without a mark with at most this probability. Hoeffding: a
 * weighted sum of random signs exceeds t deviations with a probability below exp(-t²/2). As many sums are looked at
 * as there are places where a period may begin, in each stretch.
 */
export function scoreFor(falseAlarm: number, stretches: number): number {
  return Math.sqrt(2 * Math.log((PERIOD_FRAMES * stretches) / falseAlarm));
}

/** Where in a period the chips of a stretch begin, and how far the pattern stands out there. */
export function findPeriod(
  stretch: Float64Array,
  { startChips }: Pick<WatermarkPattern, 'startChips'>,
): { score: number; start: number } {
  const places = Int32Array.from(startChips, ({ chip }) => {
    return Math.floor(chip / COLUMNS) * ROW_FRAMES * COLUMNS + (chip % COLUMNS);
  });
  const turns = Int8Array.from(startChips, ({ turn }) => turn);
  let best = { score: 0, start: 0 };
  for (let start = 0; start < PERIOD_FRAMES; start++) {
    let sum = 0;
    let power = 0;
    for (let i = 0; i < places.length; i++) {
      const place = (places[i] as number) + start * COLUMNS;
      const value = stretch[place < stretch.length ? place : place - stretch.length] as number;
      sum += value * (turns[i] as number);
      power += value * value;
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
