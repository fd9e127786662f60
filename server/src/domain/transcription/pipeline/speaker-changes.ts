import type { AsrWord, TimeRange } from '../../engines/asr-engine.ts';
import { cosineSimilarity } from '../cosine-similarity.ts';

/** Speech on each side of a possible change of speaker that is compared. */
const WINDOW_SECONDS = 2.5;
/** Shorter speech has embeddings with a high variance. */
const SIDE_MIN_SECONDS = 1.2;
/** Minimum distance between two word boundaries that are examined. */
const STEP_SECONDS = 0.3;
/** Cosine similarity of the two sides below which the speaker changes. */
const CHANGE_SIMILARITY_MAX = 0.42;

/** Speaker embeddings of ranges of the recording; undefined where there is too little speech. */
export type EmbedRanges = (
  ranges: readonly TimeRange[],
) => Promise<readonly (readonly number[] | undefined)[]>;

/**
 * Divides words without a pause where the speaker changes: at the word boundary whose two sides are least similar, if they
 * are less similar than speech of one person. Both parts are examined again.
 */
export async function divideAtSpeakerChanges(
  words: readonly AsrWord[],
  embed: EmbedRanges,
): Promise<(readonly AsrWord[])[]> {
  const change = await findSpeakerChange(words, embed);
  if (change === undefined) return [words];
  const [before, after] = [words.slice(0, change), words.slice(change)];
  return [...(await divideAtSpeakerChanges(before, embed)), ...(await divideAtSpeakerChanges(after, embed))];
}

/** Index of the first word after a change of speaker. */
async function findSpeakerChange(words: readonly AsrWord[], embed: EmbedRanges): Promise<number | undefined> {
  const boundaries = examinedBoundaries(words);
  if (boundaries.length === 0) return undefined;
  const embeddings = await embed(boundaries.flatMap(({ before, after }) => [before, after]));
  let change: number | undefined;
  let least = CHANGE_SIMILARITY_MAX;
  for (const [index, { firstWord }] of boundaries.entries()) {
    const [before, after] = embeddings.slice(2 * index);
    if (before === undefined || after === undefined) continue;
    const similarity = cosineSimilarity(before, after);
    if (similarity >= least) continue;
    least = similarity;
    change = firstWord;
  }
  return change;
}

/** Word boundaries with enough speech on both sides, and the ranges that are compared. */
function examinedBoundaries(
  words: readonly AsrWord[],
): { readonly firstWord: number; readonly before: TimeRange; readonly after: TimeRange }[] {
  const start = words[0]?.startSeconds ?? 0;
  const end = words.at(-1)?.endSeconds ?? 0;
  const boundaries = [];
  let examined = Number.NEGATIVE_INFINITY;
  for (let firstWord = 1; firstWord < words.length; firstWord++) {
    const at = (words[firstWord - 1]!.endSeconds + words[firstWord]!.startSeconds) / 2;
    if (at - start < SIDE_MIN_SECONDS || end - at < SIDE_MIN_SECONDS || at - examined < STEP_SECONDS)
      continue;
    examined = at;
    boundaries.push({
      firstWord,
      before: { startSeconds: Math.max(start, at - WINDOW_SECONDS), endSeconds: at },
      after: { startSeconds: at, endSeconds: Math.min(end, at + WINDOW_SECONDS) },
    });
  }
  return boundaries;
}
