import { ChipMeter, type ChipSegment, PERIOD_FRAMES, ROW_FRAMES } from './chip-meter.ts';
import { COLUMNS, SYMBOL_VALUES, SYMBOLS, SYNC, type WatermarkPattern } from './watermark-pattern.ts';

/** Upper bound of the false alarm probability for any audio without the watermark. */
export const FALSE_ALARM_PROBABILITY = 1e-5;

/** The result of a detection. */
export interface WatermarkDetection {
  readonly isWatermarked: boolean;
  /** The correlation with the pattern, in standard deviations of audio without it, and the detection threshold. */
  readonly score: number;
  readonly scoreMin: number;
  /** The watermark number; meaningless unless `isWatermarked`. */
  readonly number: number;
  /** The segment with the highest score. */
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** Searches a stream for the watermarks of a key, in constant memory. Takes mono audio at `DETECTION_RATE_HZ`. */
export class WatermarkDetector {
  readonly #pattern: WatermarkPattern;
  readonly #meter = new ChipMeter((segment) => this.#search(segment));
  #segments = 0;
  #best: Omit<WatermarkDetection, 'isWatermarked' | 'scoreMin'> = {
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

  /** Returns the result. Ends the stream. */
  finish(): WatermarkDetection {
    this.#meter.finish();
    const scoreMin = scoreThreshold(FALSE_ALARM_PROBABILITY, this.#segments);
    return { ...this.#best, scoreMin, isWatermarked: this.#best.score >= scoreMin };
  }

  #search({ chips, startSeconds, endSeconds }: ChipSegment): void {
    this.#segments++;
    const { score, start } = findPeriod(chips, this.#pattern);
    if (score <= this.#best.score) return;
    this.#best = { score, number: decodeNumber(chips, start, this.#pattern), startSeconds, endSeconds };
  }
}

/**
 * The score that audio of so many segments without a watermark reaches with at most this probability. Hoeffding's
 * inequality: a weighted sum of random signs exceeds t standard deviations with a probability below exp(-t²/2). The union
 * bound covers every offset of the period in every segment.
 */
export function scoreThreshold(falseAlarmProbability: number, segments: number): number {
  return Math.sqrt(2 * Math.log((PERIOD_FRAMES * segments) / falseAlarmProbability));
}

/** The offset of the period in a segment with the highest score. */
export function findPeriod(
  chips: Float64Array,
  { syncChips }: Pick<WatermarkPattern, 'syncChips'>,
): { score: number; start: number } {
  const offsets = Int32Array.from(syncChips, ({ chip }) => {
    return Math.floor(chip / COLUMNS) * ROW_FRAMES * COLUMNS + (chip % COLUMNS);
  });
  const polarities = Int8Array.from(syncChips, ({ polarity }) => polarity);
  let best = { score: 0, start: 0 };
  for (let start = 0; start < PERIOD_FRAMES; start++) {
    let sum = 0;
    let power = 0;
    for (let i = 0; i < offsets.length; i++) {
      const index = (offsets[i] as number) + start * COLUMNS;
      const value = chips[index < chips.length ? index : index - chips.length] as number;
      sum += value * (polarities[i] as number);
      power += value * value;
    }
    const score = power === 0 ? 0 : sum / Math.sqrt(power);
    if (score > best.score) best = { score, start };
  }
  return best;
}

/** Decodes the watermark number: the most likely value of each symbol. */
function decodeNumber(chips: Float64Array, start: number, pattern: WatermarkPattern): number {
  const sums = new Float64Array(SYMBOLS * SYMBOL_VALUES);
  for (const [chip, role] of pattern.roles.entries()) {
    if (role === SYNC) continue;
    const row = (start + Math.floor(chip / COLUMNS) * ROW_FRAMES) % PERIOD_FRAMES;
    const level = chips[row * COLUMNS + (chip % COLUMNS)] as number;
    for (let value = 0; value < SYMBOL_VALUES; value++) {
      sums[role * SYMBOL_VALUES + value]! += level * pattern.polarity(chip, value);
    }
  }
  let number = 0;
  for (let symbol = SYMBOLS - 1; symbol >= 0; symbol--) {
    const symbolSums = sums.subarray(symbol * SYMBOL_VALUES, (symbol + 1) * SYMBOL_VALUES);
    number = number * SYMBOL_VALUES + symbolSums.indexOf(Math.max(...symbolSums));
  }
  return number;
}
