import type { ClonedVoice } from './voice-cloner.ts';

/** Name of the measure of the cloner: cosine similarity of the x-vectors of the voice and of its recordings. */
const SIMILARITY = 'similarity_x_vector';
const FIRST_SIMILARITY = 'first_similarity_x_vector';

/** How similar a voice is to its recordings: 1 is equal. */
export interface CloneSimilarity {
  readonly current: number;
  /** Before the refinement; undefined without one. */
  readonly first: number | undefined;
}

/** Undefined for a voice that has no recordings, such as a mixed one. */
export function similarityOf({ measures }: Pick<ClonedVoice, 'measures'>): CloneSimilarity | undefined {
  const current = measures[SIMILARITY];
  return current === undefined ? undefined : { current, first: measures[FIRST_SIMILARITY] };
}

/** A refined voice that keeps the similarity of the voice before its refinement. */
export function withFirstSimilarity(refined: ClonedVoice, first: Pick<ClonedVoice, 'measures'>): ClonedVoice {
  const similarity = similarityOf(first)?.current;
  if (similarity === undefined) return refined;
  return { ...refined, measures: { ...refined.measures, [FIRST_SIMILARITY]: similarity } };
}
