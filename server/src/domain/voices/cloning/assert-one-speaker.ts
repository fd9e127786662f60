import { ApiError } from '../../../errors.ts';
import type { VoiceEncoder } from '../../engines/voice-encoder.ts';
import { describeVerdicts } from '../intake/clip-verdict.ts';

/** Duration of the compared segments. Shorter ones do not distinguish speakers well. */
const SEGMENT_SECONDS = 3;
/**
 * Two groups of segments with a lower similarity belong to two speakers: 1 % of recordings of one speaker, 85 % of
 * concatenations of two. Of two segments, which vary more: 2 % and 77 %. docs/design/voice-cloning.md has the measurement.
 */
const SIMILARITY_MIN = 0.4;
const SIMILARITY_OF_TWO_MIN = 0.3;
/** Minimum share of the smaller group: a laugh or a cough is not a second speaker. */
const GROUP_SHARE_MIN = 0.15;
const ROUNDS = 5;

/** Throws `unusable_recording` for speech of more than one speaker. Speech that is too short to decide passes. */
export async function assertOneSpeaker(
  encoder: Pick<VoiceEncoder, 'measure' | 'similarity' | 'sampleRateHz'>,
  speech: Float32Array,
  signal: AbortSignal,
): Promise<void> {
  const measured: Float32Array[] = [];
  const length = SEGMENT_SECONDS * encoder.sampleRateHz;
  for (let from = 0; from + length <= speech.length; from += length) {
    measured.push(await encoder.measure(speech.subarray(from, from + length)));
    signal.throwIfAborted();
  }
  const [first, second] = splitInTwo(measured, encoder.similarity);
  const smaller = Math.min(first.length, second.length);
  if (smaller === 0 || smaller < GROUP_SHARE_MIN * measured.length) return;
  const similarityMin = measured.length === 2 ? SIMILARITY_OF_TWO_MIN : SIMILARITY_MIN;
  if (encoder.similarity(meanOf(first), meanOf(second)) >= similarityMin) return;
  throw new ApiError(
    'unusable_recording',
    `The recording cannot be used for a voice. ${describeVerdicts({ verdicts: ['several_speakers'] })}`,
  );
}

type Similarity = VoiceEncoder['similarity'];

/** Two clusters by k-means, initialised with the least similar pair. */
function splitInTwo(
  measured: readonly Float32Array[],
  similarity: Similarity,
): [Float32Array[], Float32Array[]] {
  let centres = leastSimilarPair(measured, similarity);
  let groups: [Float32Array[], Float32Array[]] = [[...measured], []];
  for (let round = 0; round < ROUNDS && centres !== undefined; round++) {
    const [a, b] = centres;
    groups = [[], []];
    for (const measures of measured)
      groups[similarity(measures, a) >= similarity(measures, b) ? 0 : 1].push(measures);
    centres = groups.some((group) => group.length === 0) ? undefined : [meanOf(groups[0]), meanOf(groups[1])];
  }
  return groups;
}

function leastSimilarPair(
  measured: readonly Float32Array[],
  similarity: Similarity,
): [Float32Array, Float32Array] | undefined {
  let least: { pair: [Float32Array, Float32Array]; similarity: number } | undefined;
  for (const [index, a] of measured.entries()) {
    for (const b of measured.slice(index + 1)) {
      const between = similarity(a, b);
      if (least === undefined || between < least.similarity) least = { pair: [a, b], similarity: between };
    }
  }
  return least?.pair;
}

function meanOf(group: readonly Float32Array[]): Float32Array {
  const mean = new Float32Array(group[0]?.length ?? 0);
  for (const measures of group) for (const [i, value] of measures.entries()) mean[i]! += value / group.length;
  return mean;
}
