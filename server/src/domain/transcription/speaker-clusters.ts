import { cosineSimilarity } from './cosine-similarity.ts';
import type { SpeakerCount } from './transcription-service.ts';

type Centres = readonly (readonly number[])[];

/** The speaker embedding of one segment. */
export interface SpeakerSample {
  /** Of unit length. */
  readonly embedding: readonly number[];
  /** Duration of speech: embeddings of short segments have a high variance. */
  readonly seconds: number;
}

/** Groups with a mean cosine similarity above this are the same speaker. */
const SAME_SPEAKER_SIMILARITY = 0.38;
/** Maximum excess of the similarity within groups over the similarity between them, for one speaker. */
const COHESION_EXCESS_MAX = 0.22;
/** Maximum number of samples that are clustered; further ones are assigned to the most similar speaker. */
const COMPARED_MAX = 200;
/** Shorter samples vary too much to start a group; they are assigned to the most similar speaker. */
const SEED_SECONDS_MIN = 2;
/** Bounds of k-means: centres of all starts together, and rounds of a start. */
const CENTRES_TRIED_MAX = 80;
const ROUNDS_MAX = 10;

/**
 * Assigns a speaker to each sample, numbered in order of first appearance. Merges the two most similar groups
 * until the remaining ones are too different or their number has reached the minimum. A known number of speakers does not
 * depend on similarities: k-means finds the speakers.
 */
export function clusterSpeakers(samples: readonly SpeakerSample[], { min, max }: SpeakerCount): number[] {
  if (samples.length === 0) return [];
  if (min === max && min > 1 && samples.length > min) return inOrderOfAppearance(divideAmong(samples, min));
  const seeds = chooseSeeds(samples, min);
  const groups = mergeSimilar(
    seeds.map((index) => samples[index]!),
    { min, max },
  );
  const centres = groups.map((group) => centreOf(group.map((member) => samples[seeds[member]!]!)));
  const assigned = samples.map(({ embedding }) => mostSimilar(centres, embedding));
  groups.forEach((group, speaker) => {
    for (const member of group) assigned[seeds[member]!] = speaker;
  });
  return inOrderOfAppearance(assigned);
}

/** K-means on the sphere, weighted by duration; the best result of several starts. */
function divideAmong(samples: readonly SpeakerSample[], count: number): number[] {
  const compared = samples.toSorted((one, two) => two.seconds - one.seconds).slice(0, COMPARED_MAX);
  let best: { readonly centres: Centres; readonly score: number } | undefined;
  for (const first of compared.slice(0, Math.ceil(CENTRES_TRIED_MAX / count))) {
    const centres = improveCentres(chooseDifferent(first, compared, count), compared);
    const score = compared.reduce(
      (sum, { embedding, seconds }) =>
        sum + seconds * cosineSimilarity(centres[mostSimilar(centres, embedding)]!, embedding),
      0,
    );
    if (best === undefined || score > best.score) best = { centres, score };
  }
  return samples.map(({ embedding }) => mostSimilar(best!.centres, embedding));
}

function improveCentres(start: Centres, samples: readonly SpeakerSample[]): Centres {
  let centres = start;
  let speakers: readonly number[] = [];
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const assigned = samples.map(({ embedding }) => mostSimilar(centres, embedding));
    if (assigned.every((speaker, index) => speaker === speakers[index])) break;
    speakers = assigned;
    centres = centres.map((centre, speaker) => {
      const own = samples.filter((_, index) => assigned[index] === speaker);
      return own.length === 0 ? centre : centreOf(own);
    });
  }
  return centres;
}

/** A sample and others, each as different as possible from those before it. */
function chooseDifferent(first: SpeakerSample, samples: readonly SpeakerSample[], count: number): Centres {
  const chosen = [first.embedding];
  while (chosen.length < count) {
    const similarities = samples.map(({ embedding }) =>
      Math.max(...chosen.map((one) => cosineSimilarity(one, embedding))),
    );
    chosen.push(samples[similarities.indexOf(Math.min(...similarities))]!.embedding);
  }
  return chosen;
}

function chooseSeeds(samples: readonly SpeakerSample[], min: number): number[] {
  const byLength = samples.map((_, index) => index).sort((a, b) => samples[b]!.seconds - samples[a]!.seconds);
  const long = byLength.filter((index) => samples[index]!.seconds >= SEED_SECONDS_MIN);
  return (long.length >= min ? long : byLength).slice(0, COMPARED_MAX);
}

/** Samples that are assumed to come from one speaker. */
interface Group {
  readonly members: number[];
  /** Mean similarity over all pairs of members; undefined for a single member. */
  cohesion: number | undefined;
}

/** Average-linkage clustering. Returns groups of indexes. */
function mergeSimilar(samples: readonly SpeakerSample[], { min, max }: SpeakerCount): number[][] {
  const groups: Group[] = samples.map((_, index) => ({ members: [index], cohesion: undefined }));
  const similarity = samples.map((left) =>
    samples.map((right) => cosineSimilarity(left.embedding, right.embedding)),
  );
  while (groups.length > min) {
    const pair = mostSimilarPair(similarity, groups, groups.length > max);
    if (pair === undefined) break;
    const { left, right, value } = pair;
    const [one, other] = [groups[left]!, groups[right]!];
    const [size, otherSize] = [one.members.length, other.members.length];
    for (let third = 0; third < groups.length; third++) {
      const joined =
        (size * similarity[left]![third]! + otherSize * similarity[right]![third]!) / (size + otherSize);
      similarity[left]![third] = joined;
      similarity[third]![left] = joined;
    }
    const pairs = (count: number) => (count * (count - 1)) / 2;
    one.cohesion =
      (pairs(size) * (one.cohesion ?? 0) +
        pairs(otherSize) * (other.cohesion ?? 0) +
        size * otherSize * value) /
      pairs(size + otherSize);
    one.members.push(...other.members);
    groups.splice(right, 1);
    similarity.splice(right, 1);
    for (const row of similarity) row.splice(right, 1);
  }
  return groups.map(({ members }) => members);
}

/** The most similar pair among those that may be one speaker, or among all when groups must be merged. */
function mostSimilarPair(
  similarity: readonly (readonly number[])[],
  groups: readonly Group[],
  mustJoin: boolean,
): { readonly left: number; readonly right: number; readonly value: number } | undefined {
  let best: { left: number; right: number; value: number } | undefined;
  for (let left = 0; left < groups.length; left++) {
    for (let right = left + 1; right < groups.length; right++) {
      const value = similarity[left]![right]!;
      const isCandidate = mustJoin || value >= minSimilarity(groups[left]!, groups[right]!);
      if (isCandidate && value > (best?.value ?? Number.NEGATIVE_INFINITY)) best = { left, right, value };
    }
  }
  return best;
}

/**
 * The similarity that two groups must have to be one speaker. All segments of a recording are similar to some
 * degree, synthetic ones more so, so the similarity within the groups must not be much higher than between them.
 */
function minSimilarity(one: Group, other: Group): number {
  // Called a million times for a long recording, so it allocates nothing.
  const left = one.cohesion ?? other.cohesion;
  const right = other.cohesion ?? one.cohesion;
  if (left === undefined || right === undefined) return SAME_SPEAKER_SIMILARITY;
  return Math.max(SAME_SPEAKER_SIMILARITY, (left + right) / 2 - COHESION_EXCESS_MAX);
}

function centreOf(samples: readonly SpeakerSample[]): number[] {
  const sum = new Array<number>(samples[0]!.embedding.length).fill(0);
  for (const { embedding, seconds } of samples) {
    for (let i = 0; i < sum.length; i++) sum[i] = sum[i]! + embedding[i]! * seconds;
  }
  const length = Math.hypot(...sum) || 1;
  return sum.map((value) => value / length);
}

function inOrderOfAppearance(speakers: readonly number[]): number[] {
  const order = [...new Set(speakers)];
  return speakers.map((speaker) => order.indexOf(speaker));
}

/** Index of the most similar centre. */
function mostSimilar(centres: Centres, embedding: readonly number[]): number {
  const values = centres.map((centre) => cosineSimilarity(centre, embedding));
  return values.indexOf(Math.max(...values));
}
