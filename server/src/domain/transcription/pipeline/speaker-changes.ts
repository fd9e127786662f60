import type { AsrWord } from '../../engines/asr-engine.ts';
import { cosineSimilarity } from '../cosine-similarity.ts';

/** Speech on each side of a possible change of speaker that is compared. */
const WINDOW_SECONDS = 2.5;
/** Shorter speech has embeddings with a high variance. */
const SIDE_MIN_SECONDS = 1.2;
/** Minimum distance between two word boundaries that are examined. */
const STEP_SECONDS = 0.3;
/** Cosine similarity of the two sides below which the speaker changes. */
const CHANGE_SIMILARITY_MAX = 0.38;

/** The speaker embedding of a part of the recording; undefined if there is too little speech. */
export type EmbedRange = (startSeconds: number, endSeconds: number) => Promise<readonly number[] | undefined>;

/**
 * Divides words without a pause where the speaker changes: at the word boundary whose two sides are least similar, if they
 * are less similar than speech of one person. Both parts are examined again.
 */
export async function divideAtSpeakerChanges(
  words: readonly AsrWord[],
  embed: EmbedRange,
): Promise<(readonly AsrWord[])[]> {
  const change = await findSpeakerChange(words, embed);
  if (change === undefined) return [words];
  const [before, after] = [words.slice(0, change), words.slice(change)];
  return [...(await divideAtSpeakerChanges(before, embed)), ...(await divideAtSpeakerChanges(after, embed))];
}

/** Index of the first word after a change of speaker. */
async function findSpeakerChange(words: readonly AsrWord[], embed: EmbedRange): Promise<number | undefined> {
  const start = words[0]?.startSeconds ?? 0;
  const end = words.at(-1)?.endSeconds ?? 0;
  let change: number | undefined;
  let least = CHANGE_SIMILARITY_MAX;
  let examined = Number.NEGATIVE_INFINITY;
  for (let index = 1; index < words.length; index++) {
    const at = (words[index - 1]!.endSeconds + words[index]!.startSeconds) / 2;
    if (at - start < SIDE_MIN_SECONDS || end - at < SIDE_MIN_SECONDS || at - examined < STEP_SECONDS)
      continue;
    examined = at;
    const before = await embed(Math.max(start, at - WINDOW_SECONDS), at);
    const after = await embed(at, Math.min(end, at + WINDOW_SECONDS));
    if (before === undefined || after === undefined) continue;
    const similarity = cosineSimilarity(before, after);
    if (similarity >= least) continue;
    least = similarity;
    change = index;
  }
  return change;
}
