import type { SpeakerCount } from './transcription-service.ts';

/** The sound of a voice in one stretch of speech. */
export interface VoiceSample {
  /** Of unit length. */
  readonly print: readonly number[];
  /** How long it was heard: prints of short stretches scatter. */
  readonly seconds: number;
}

/** Voices that are more alike than this, on average over their samples, are one. */
const SAME_VOICE = 0.42;
/** Samples that are compared with each other; further ones go to the voice they are most like. */
const COMPARED_MAX = 200;
/** Shorter samples do not found a voice. */
const FOUNDING_SECONDS = 1.2;

/**
 * Groups samples by voice: the number of each sample's voice, in order of first appearance. Joins the two groups
 * that are most alike until what is left is too different, or as few as there must be.
 */
export function clusterVoices(samples: readonly VoiceSample[], { min, max }: SpeakerCount): number[] {
  if (samples.length === 0) return [];
  const founders = chooseFounders(samples);
  const groups = joinAlike(
    founders.map((index) => samples[index]!),
    { min, max },
  );
  const centres = groups.map((group) => centreOf(group.map((member) => samples[founders[member]!]!)));
  const nearest = samples.map(({ print }) => indexOfMax(centres.map((centre) => dot(centre, print))));
  groups.forEach((group, voice) => {
    for (const member of group) nearest[founders[member]!] = voice;
  });
  return inOrderOfAppearance(nearest);
}

function chooseFounders(samples: readonly VoiceSample[]): number[] {
  const byLength = samples.map((_, index) => index).sort((a, b) => samples[b]!.seconds - samples[a]!.seconds);
  const long = byLength.filter((index) => samples[index]!.seconds >= FOUNDING_SECONDS);
  return (long.length > 0 ? long : byLength).slice(0, COMPARED_MAX);
}

/** Average-linkage clustering. Returns groups of indexes. */
function joinAlike(samples: readonly VoiceSample[], { min, max }: SpeakerCount): number[][] {
  const groups = samples.map((_, index) => [index]);
  const likeness = samples.map((left) => samples.map((right) => dot(left.print, right.print)));
  while (groups.length > min) {
    const { left, right, value } = mostAlike(likeness);
    if (value < SAME_VOICE && groups.length <= max) break;
    const [sizeLeft, sizeRight] = [groups[left]!.length, groups[right]!.length];
    for (let other = 0; other < groups.length; other++) {
      const joined =
        (sizeLeft * likeness[left]![other]! + sizeRight * likeness[right]![other]!) / (sizeLeft + sizeRight);
      likeness[left]![other] = joined;
      likeness[other]![left] = joined;
    }
    groups[left]!.push(...groups[right]!);
    groups.splice(right, 1);
    likeness.splice(right, 1);
    for (const row of likeness) row.splice(right, 1);
  }
  return groups;
}

function mostAlike(likeness: readonly (readonly number[])[]): { left: number; right: number; value: number } {
  let best = { left: 0, right: 1, value: Number.NEGATIVE_INFINITY };
  for (let left = 0; left < likeness.length; left++) {
    for (let right = left + 1; right < likeness.length; right++) {
      const value = likeness[left]![right]!;
      if (value > best.value) best = { left, right, value };
    }
  }
  return best;
}

function centreOf(samples: readonly VoiceSample[]): number[] {
  const sum = new Array<number>(samples[0]!.print.length).fill(0);
  for (const { print, seconds } of samples) {
    for (let i = 0; i < sum.length; i++) sum[i] = sum[i]! + print[i]! * seconds;
  }
  const length = Math.sqrt(dot(sum, sum)) || 1;
  return sum.map((value) => value / length);
}

function inOrderOfAppearance(voices: readonly number[]): number[] {
  const order = [...new Set(voices)];
  return voices.map((voice) => order.indexOf(voice));
}

function dot(left: readonly number[], right: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < left.length; i++) sum += left[i]! * right[i]!;
  return sum;
}

function indexOfMax(values: readonly number[]): number {
  return values.indexOf(Math.max(...values));
}
