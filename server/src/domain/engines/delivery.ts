/**
 * How words are said, against the voice's own way of saying them. An engine that cannot do one of these does
 * what comes nearest, or leaves it.
 */
export interface Delivery {
  /** How far the whole melody is moved up. */
  readonly pitchSemitones: number;
  /** How far the melody departs from its middle: 2 is twice as lively, 0 a monotone. */
  readonly pitchRange: number;
  /** How far the melody climbs from the first word said this way to the last; negative falls. */
  readonly pitchSlopeSemitones: number;
  /** Depth of a trembling of the pitch, five or six times a second. */
  readonly tremorSemitones: number;
  readonly levelDb: number;
  /** Vocal effort: -1 is barely voiced and dull, 1 shouted and bright. It is heard at any level. */
  readonly effort: number;
  /** 1 is the pace of the request, 2 twice as fast. */
  readonly rate: number;
  /** Length of the pauses between the words, on top of what the rate does to them. */
  readonly pauses: number;
  /** How much of the voice is breath: 0 none, 1 a whisper without any voicing. */
  readonly breath: number;
}

/** The voice's own way. */
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

/** What an engine can bear. Cues may be stacked and made stronger, and the sum must still be speech. */
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

/** Multiplied when deliveries meet, where the others are added. */
const FACTORS: ReadonlySet<keyof Delivery> = new Set(['pitchRange', 'rate', 'pauses']);

const FIELDS = Object.keys(NEUTRAL_DELIVERY) as (keyof Delivery)[];

/** Several ways of saying the same words, as one. What an engine cannot bear is held to what it can. */
export function combineDeliveries(deliveries: readonly Partial<Delivery>[]): Delivery {
  return mapFields((field) => {
    const neutral = NEUTRAL_DELIVERY[field];
    const values = deliveries.map((delivery) => delivery[field] ?? neutral);
    const together = values.reduce((sum, value) => (FACTORS.has(field) ? sum * value : sum + value), neutral);
    const [min, max] = LIMITS[field];
    return Math.min(max, Math.max(min, together));
  });
}

/** The same way of speaking, more or less of it: 0 is neutral, 1 as given, 2 twice as far from neutral. */
export function intensify(delivery: Partial<Delivery>, intensity: number): Partial<Delivery> {
  const stronger: Partial<Record<keyof Delivery, number>> = {};
  for (const field of FIELDS) {
    const value = delivery[field];
    if (value === undefined) continue;
    stronger[field] = FACTORS.has(field) ? value ** intensity : value * intensity;
  }
  return stronger;
}

export function isNeutral(delivery: Delivery): boolean {
  return FIELDS.every((field) => delivery[field] === NEUTRAL_DELIVERY[field]);
}

function mapFields(read: (field: keyof Delivery) => number): Delivery {
  return Object.fromEntries(FIELDS.map((field) => [field, read(field)])) as unknown as Delivery;
}
