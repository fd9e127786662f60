import { MEASURES, type MeasureGroup, similarity } from './measures.ts';

/** Weights of the deviations, equal to those of the training loss. Pitch is in octaves. */
const WEIGHTS = { xVector: 1, dVector: 0.25, spectrum: 0.05, pitch: 40, pitchRange: 2 } as const;

/** Distance of two voices: 0 for equal voices, about 5 for different speakers. */
export function measuredDistance(a: Float32Array, b: Float32Array): number {
  return (
    2 * WEIGHTS.xVector * (1 - similarity(a, b, MEASURES.xVector)) +
    2 * WEIGHTS.dVector * (1 - similarity(a, b, MEASURES.dVector)) +
    WEIGHTS.spectrum * squaredDeviation(a, b, MEASURES.spectrum) +
    WEIGHTS.pitch * squaredDeviation(a, b, MEASURES.pitch) +
    WEIGHTS.pitchRange * squaredDeviation(a, b, MEASURES.pitchRange)
  );
}

/** Mean cosine similarity of both embeddings. */
export function measuredLikeness(a: Float32Array, b: Float32Array): number {
  return (similarity(a, b, MEASURES.xVector) + similarity(a, b, MEASURES.dVector)) / 2;
}

/** 0.03 octaves are 2 %. Two recordings of one speaker differ by more. */
const SAME_PITCH_OCTAVES = 0.03;

/** Whether the pitch of two voices is perceptually equal. */
export function isInTune(a: Float32Array, b: Float32Array): boolean {
  return squaredDeviation(a, b, MEASURES.pitch) <= SAME_PITCH_OCTAVES ** 2;
}

/** Similarity of a voice to its target by both embeddings (1 is equal), and the pitch of both. */
export function describeMeasures(
  voice: Float32Array,
  target: Float32Array,
): Readonly<Record<string, number>> {
  return {
    similarity_x_vector: rounded(similarity(voice, target, MEASURES.xVector), 3),
    // d-vector similarity. The key is stored with voices, so it keeps the former name.
    similarity_ear: rounded(similarity(voice, target, MEASURES.dVector), 3),
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
