import { MEASURES, type MeasureGroup, similarity } from './measures.ts';

/** What deviations count; the networks were trained with the same. Pitch is in octaves. */
const WEIGHTS = { xVector: 1, ge2e: 1, spectrum: 0.05, pitch: 20, pitchRange: 2 } as const;
/** Women's voices lie above this, men's below, with few exceptions. */
const GENDER_BORDER_HZ = 160;

/** How far apart two voices are: 0 for equal ones, about 5 for strangers. */
export function measuredDistance(a: Float32Array, b: Float32Array): number {
  return (
    2 * WEIGHTS.xVector * (1 - similarity(a, b, MEASURES.xVector)) +
    2 * WEIGHTS.ge2e * (1 - similarity(a, b, MEASURES.ge2e)) +
    WEIGHTS.spectrum * squaredDeviation(a, b, MEASURES.spectrum) +
    WEIGHTS.pitch * squaredDeviation(a, b, MEASURES.pitch) +
    WEIGHTS.pitchRange * squaredDeviation(a, b, MEASURES.pitchRange)
  );
}

/** Likeness of a voice to its target by two judges (1 is equal), and the pitch of both. */
export function describeMeasures(
  voice: Float32Array,
  target: Float32Array,
): Readonly<Record<string, number>> {
  return {
    similarity_x_vector: rounded(similarity(voice, target, MEASURES.xVector), 3),
    similarity_ge2e: rounded(similarity(voice, target, MEASURES.ge2e), 3),
    distance: rounded(measuredDistance(voice, target), 3),
    pitch_hz: rounded(pitchHz(voice), 1),
    reference_pitch_hz: rounded(pitchHz(target), 1),
  };
}

export function measuredGender(measures: Float32Array): 'female' | 'male' {
  return pitchHz(measures) > GENDER_BORDER_HZ ? 'female' : 'male';
}

function pitchHz(measures: Float32Array): number {
  return 2 ** measures[MEASURES.pitch.from]!;
}

function squaredDeviation(a: Float32Array, b: Float32Array, group: MeasureGroup): number {
  let sum = 0;
  for (let index = group.from; index < group.to; index++) sum += (a[index]! - b[index]!) ** 2;
  return sum;
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
