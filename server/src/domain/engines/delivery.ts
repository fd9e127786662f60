/**
 * How a word is performed, relative to the voice's neutral delivery. An engine that does not support a parameter
 * approximates or ignores it.
 */
export interface Delivery {
  /** Shift of the pitch contour. */
  readonly pitchSemitones: number;
  /** Factor on the distance of the pitch from its median: 2 doubles the range, 0 is a monotone. */
  readonly pitchRange: number;
  /** Pitch change from the first to the last word with this delivery; negative falls. */
  readonly pitchSlopeSemitones: number;
  /** Depth of a pitch tremor of 5 to 6 Hz. */
  readonly tremorSemitones: number;
  readonly levelDb: number;
  /** Vocal effort (spectral tilt): -1 is soft and dull, 1 is shouted and bright. Independent of the level. */
  readonly effort: number;
  /** Factor on the speaking rate of the request: 2 is twice as fast. */
  readonly rate: number;
  /** Factor on the pauses between words, in addition to the effect of `rate`. */
  readonly pauses: number;
  /** Breathiness: 0 is none, 1 is an unvoiced whisper. */
  readonly breath: number;
}

/** The voice without any change. */
export const NEUTRAL_DELIVERY: Delivery = {
  pitchSemitones: 0,
  pitchRange: 1,
  pitchSlopeSemitones: 0,
  tremorSemitones: 0,
  levelDb: 0,
  effort: 0,
  rate: 1,
  pauses: 1,
  breath: 0,
};

/** Limits of combined deliveries. Beyond them stacked or intensified cues become unintelligible. */
const LIMITS: Readonly<Record<keyof Delivery, readonly [min: number, max: number]>> = {
  pitchSemitones: [-8, 8],
  pitchRange: [0, 2.5],
  pitchSlopeSemitones: [-6, 6],
  tremorSemitones: [0, 1.5],
  levelDb: [-18, 9],
  effort: [-1, 1.2],
  rate: [0.5, 2],
  pauses: [0.2, 4],
  breath: [0, 1],
};

/** Fields that are multiplied when deliveries are combined; the others are added. */
const FACTORS: ReadonlySet<keyof Delivery> = new Set(['pitchRange', 'rate', 'pauses']);

const FIELDS = Object.keys(NEUTRAL_DELIVERY) as (keyof Delivery)[];

/** The combination of several deliveries of the same word, clamped to the limits. */
export function combineDeliveries(deliveries: readonly Partial<Delivery>[]): Delivery {
  return mapFields((field) => {
    const neutral = NEUTRAL_DELIVERY[field];
    const values = deliveries.map((delivery) => delivery[field] ?? neutral);
    const combined = values.reduce((sum, value) => (FACTORS.has(field) ? sum * value : sum + value), neutral);
    const [min, max] = LIMITS[field];
    return Math.min(max, Math.max(min, combined));
  });
}

/** Scales the distance of a delivery from neutral: 0 is neutral, 1 unchanged, 2 twice the distance. */
export function intensify(delivery: Partial<Delivery>, intensity: number): Partial<Delivery> {
  const scaled: Partial<Record<keyof Delivery, number>> = {};
  for (const field of FIELDS) {
    const value = delivery[field];
    if (value === undefined) continue;
    scaled[field] = FACTORS.has(field) ? value ** intensity : value * intensity;
  }
  return scaled;
}

export function isNeutral(delivery: Delivery): boolean {
  return FIELDS.every((field) => delivery[field] === NEUTRAL_DELIVERY[field]);
}

function mapFields(compute: (field: keyof Delivery) => number): Delivery {
  const delivery: Record<keyof Delivery, number> = { ...NEUTRAL_DELIVERY };
  for (const field of FIELDS) delivery[field] = compute(field);
  return delivery;
}
