import assert from 'node:assert/strict';
import { test } from 'node:test';
import { similarityOf, withFirstSimilarity } from './clone-similarity.ts';
import type { ClonedVoice } from './voice-cloner.ts';

function cloneWith(measures: Record<string, number>): ClonedVoice {
  return { engine: 'vits', vector: new Float32Array(1), loudnessLufs: -20, gender: 'unknown', measures };
}

test('a refined voice has the similarity before and after', () => {
  const first = cloneWith({ similarity_x_vector: 0.71 });
  const second = withFirstSimilarity(cloneWith({ similarity_x_vector: 0.8 }), first);
  assert.deepEqual(similarityOf(first), { current: 0.71, first: undefined });
  assert.deepEqual(similarityOf(second), { current: 0.8, first: 0.71 });
});

test('a voice without recordings has no similarity', () => {
  const mixed = cloneWith({});
  assert.equal(similarityOf(mixed), undefined);
  assert.equal(similarityOf(withFirstSimilarity(mixed, mixed)), undefined);
});
