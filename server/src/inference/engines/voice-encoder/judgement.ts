import { MEASURES, type MeasureGroup, similarity } from './measures.ts';

/** What deviations count; the networks were trained with the same. Pitch is in octaves. */
const WEIGHTS = { xVector: 1, ear: 0.25, spectrum: 0.05, pitch: 40, pitchRange: 2 } as const;

/** How far apart two voices are: 0 for equal ones, about 5 for strangers. */
export function measuredDistance(a: Float32Array, b: Float32Array): number {
  return (
    2 * WEIGHTS.xVector * (1 - similarity(a, b, MEASURES.xVector)) +
    2 * WEIGHTS.ear * (1 - similarity(a, b, MEASURES.ear)) +
    WEIGHTS.spectrum * squaredDeviation(a, b, MEASURES.spectrum) +
    WEIGHTS.pitch * squaredDeviation(a, b, MEASURES.pitch) +
    WEIGHTS.pitchRange * squaredDeviation(a, b, MEASURES.pitchRange)
  );
}

/** How alike two voices are by both embeddings. */
export function measuredLikeness(a: Float32Array, b: Float32Array): number {
  return (similarity(a, b, MEASURES.xVector) + similarity(a, b, MEASURES.ear)) / 2;
}

/** In octaves, 2 %. Two talks of one person differ by more than that. */
const IN_TUNE_OCTAVES = 0.03;

/** Whether nobody would say that one voice is higher than the other. */
export function isInTune(a: Float32Array, b: Float32Array): boolean {
  return squaredDeviation(a, b, MEASURES.pitch) <= IN_TUNE_OCTAVES ** 2;
}

/** Likeness of a voice to its target by two judges (1 is equal), and the pitch of both. */
export function describeMeasures(
  voice: Float32Array,
  target: Float32Array,
): Readonly<Record<string, number>> {
  return {
    similarity_x_vector: rounded(similarity(voice, target, MEASURES.xVector), 3),
    similarity_ear: rounded(similarity(voice, target, MEASURES.ear), 3),
    distance: rounded(measuredDistance(voice, target), 3),
    pitch_hz: rounded(pitchHz(voice), 1),
    reference_pitch_hz: rounded(pitchHz(target), 1),
  };
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
