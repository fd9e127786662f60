import { ApiError } from '../../../errors.ts';
import type { VoiceEncoder } from '../../engines/voice-encoder.ts';
import { describeVerdicts } from '../intake/clip-verdict.ts';

/** Stretches of speech that are compared; the shortest that tell voices apart well. */
const STRETCH_SECONDS = 3;
/**
 * Two groups of stretches less alike than this are of two people. Of 28 recordings of one person the least alike
 * groups had 0.65; of 29 joined ones of two people, 27 had less than 0.5.
 */
const ALIKE_MIN = 0.5;
/** A laugh or a cough is no second person. */
const GROUP_SHARE_MIN = 0.15;
const ROUNDS = 5;

/** Throws `unusable_recording` for speech of more than one person. What is too short to tell passes. */
export async function assertOneSpeaker(
  finder: Pick<VoiceEncoder, 'measure' | 'likeness' | 'sampleRateHz'>,
  speech: Float32Array,
  signal: AbortSignal,
): Promise<void> {
  const measured: Float32Array[] = [];
  const length = STRETCH_SECONDS * finder.sampleRateHz;
  for (let from = 0; from + length <= speech.length; from += length) {
    measured.push(await finder.measure(speech.subarray(from, from + length)));
    signal.throwIfAborted();
  }
  const [first, second] = twoGroups(measured, finder.likeness);
  const smaller = Math.min(first.length, second.length);
  if (smaller === 0 || smaller < GROUP_SHARE_MIN * measured.length) return;
  if (finder.likeness(meanOf(first), meanOf(second)) >= ALIKE_MIN) return;
  throw new ApiError(
    'unusable_recording',
    `No voice can be made of this. ${describeVerdicts(['several_speakers'])}`,
  );
}

type Likeness = VoiceEncoder['likeness'];

/** By k-means, begun from the two that are least alike. */
function twoGroups(measured: readonly Float32Array[], likeness: Likeness): [Float32Array[], Float32Array[]] {
  let centres = leastAlike(measured, likeness);
  let groups: [Float32Array[], Float32Array[]] = [[...measured], []];
  for (let round = 0; round < ROUNDS && centres !== undefined; round++) {
    const [a, b] = centres;
    groups = [[], []];
    for (const measures of measured)
      groups[likeness(measures, a) >= likeness(measures, b) ? 0 : 1].push(measures);
    centres = groups.some((group) => group.length === 0) ? undefined : [meanOf(groups[0]), meanOf(groups[1])];
  }
  return groups;
}

function leastAlike(
  measured: readonly Float32Array[],
  likeness: Likeness,
): [Float32Array, Float32Array] | undefined {
  let least: { pair: [Float32Array, Float32Array]; likeness: number } | undefined;
  for (const [index, a] of measured.entries()) {
    for (const b of measured.slice(index + 1)) {
      const between = likeness(a, b);
      if (least === undefined || between < least.likeness) least = { pair: [a, b], likeness: between };
    }
  }
  return least?.pair;
}

function meanOf(group: readonly Float32Array[]): Float32Array {
  const mean = new Float32Array(group[0]?.length ?? 0);
  for (const measures of group) for (const [i, value] of measures.entries()) mean[i]! += value / group.length;
  return mean;
}
