import type { SpeakerCount } from './transcription-service.ts';

/** The sound of a voice in one stretch of speech. */
export interface VoiceSample {
  /** Of unit length. */
  readonly print: readonly number[];
  /** How long it was heard: prints of short stretches scatter. */
  readonly seconds: number;
}

/** Voices that are more alike than this, on average over their samples, are one. */
const SAME_VOICE = 0.38;
/** A voice is more like itself than like another by more than this. */
const OWN_LIKENESS_EXCESS_MAX = 0.22;
/** Samples that are compared with each other; further ones go to the voice they are most like. */
const COMPARED_MAX = 200;
/** Prints of shorter samples scatter too much to found a voice: they go to the voice they are most like. */
const FOUNDING_SECONDS = 2;

/**
 * Groups samples by voice: the number of each sample's voice, in order of first appearance. Joins the two groups
 * that are most alike until what is left is too different, or as few as there must be.
 */
export function clusterVoices(samples: readonly VoiceSample[], { min, max }: SpeakerCount): number[] {
  if (samples.length === 0) return [];
  const founders = chooseFounders(samples, min);
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

function chooseFounders(samples: readonly VoiceSample[], min: number): number[] {
  const byLength = samples.map((_, index) => index).sort((a, b) => samples[b]!.seconds - samples[a]!.seconds);
  const long = byLength.filter((index) => samples[index]!.seconds >= FOUNDING_SECONDS);
  return (long.length >= min ? long : byLength).slice(0, COMPARED_MAX);
}

/** Samples that are taken for one voice. */
interface Group {
  readonly members: number[];
  /** How alike they are, on average over all pairs; undefined for one alone. */
  cohesion: number | undefined;
}

/** Average-linkage clustering. Returns groups of indexes. */
function joinAlike(samples: readonly VoiceSample[], { min, max }: SpeakerCount): number[][] {
  const groups: Group[] = samples.map((_, index) => ({ members: [index], cohesion: undefined }));
  const likeness = samples.map((left) => samples.map((right) => dot(left.print, right.print)));
  while (groups.length > min) {
    const pair = mostAlike(likeness, groups, groups.length > max);
    if (pair === undefined) break;
    const { left, right, value } = pair;
    const [one, other] = [groups[left]!, groups[right]!];
    const [size, otherSize] = [one.members.length, other.members.length];
    for (let third = 0; third < groups.length; third++) {
      const joined =
        (size * likeness[left]![third]! + otherSize * likeness[right]![third]!) / (size + otherSize);
      likeness[left]![third] = joined;
      likeness[third]![left] = joined;
    }
    const pairs = (count: number) => (count * (count - 1)) / 2;
    one.cohesion =
      (pairs(size) * (one.cohesion ?? 0) +
        pairs(otherSize) * (other.cohesion ?? 0) +
        size * otherSize * value) /
      pairs(size + otherSize);
    one.members.push(...other.members);
    groups.splice(right, 1);
    likeness.splice(right, 1);
    for (const row of likeness) row.splice(right, 1);
  }
  return groups.map(({ members }) => members);
}

/** The two groups that are most alike, of those that may be one voice, or of all when some must be joined. */
function mostAlike(
  likeness: readonly (readonly number[])[],
  groups: readonly Group[],
  mustJoin: boolean,
): { readonly left: number; readonly right: number; readonly value: number } | undefined {
  let best: { left: number; right: number; value: number } | undefined;
  for (let left = 0; left < groups.length; left++) {
    for (let right = left + 1; right < groups.length; right++) {
      const value = likeness[left]![right]!;
      const isCandidate = mustJoin || value >= leastLikeness(groups[left]!, groups[right]!);
      if (isCandidate && value > (best?.value ?? Number.NEGATIVE_INFINITY)) best = { left, right, value };
    }
  }
  return best;
}

/**
 * How alike two groups must be to be one voice. Recordings made in one go are all alike to some degree, synthetic
 * ones more so: each group must not be much more like itself than like the other.
 */
function leastLikeness(one: Group, other: Group): number {
  const own = [one.cohesion, other.cohesion].filter((value) => value !== undefined);
  const cohesion = own.reduce((sum, value) => sum + value, 0) / own.length;
  return own.length === 0 ? SAME_VOICE : Math.max(SAME_VOICE, cohesion - OWN_LIKENESS_EXCESS_MAX);
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
