/** Cosine similarity of vectors of unit length, such as speaker embeddings. */
export function cosineSimilarity(left: readonly number[], right: readonly number[]): number {
  let sum = 0;
  for (let index = 0; index < left.length; index++) sum += left[index]! * right[index]!;
  return sum;
}
