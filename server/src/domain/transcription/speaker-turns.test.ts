import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterSpeakers } from './speaker-clusters.ts';
import { assignSpeakers } from './speaker-turns.ts';

const ANY = { min: 1, max: 32 };

/** An embedding in the direction of a speaker, rotated by `angle` radians. */
function sampleOf(speaker: number, angle: number, seconds = 3) {
  const embedding = new Array<number>(16).fill(0);
  embedding[speaker] = Math.cos(angle);
  embedding[15 - speaker] = Math.sin(angle);
  return { embedding, seconds };
}

const TWO = [sampleOf(0, 0.1), sampleOf(1, 0.2), sampleOf(0, -0.3), sampleOf(1, -0.1), sampleOf(0, 0.2)];

test('samples are grouped by speaker, numbered in order of appearance', () => {
  assert.deepEqual(clusterSpeakers(TWO, ANY), [0, 1, 0, 1, 0]);
  assert.deepEqual(clusterSpeakers([...TWO, sampleOf(2, 0)], ANY), [0, 1, 0, 1, 0, 2]);
  assert.deepEqual(clusterSpeakers([], ANY), []);
});

test('the number of speakers is within the bounds', () => {
  assert.deepEqual(clusterSpeakers(TWO, { min: 1, max: 1 }), [0, 0, 0, 0, 0]);
  assert.equal(new Set(clusterSpeakers(TWO, { min: 3, max: 3 })).size, 3);
  assert.equal(new Set(clusterSpeakers(TWO.slice(0, 2), { min: 3, max: 5 })).size, 2);
});

test('an outlier is not a speaker if the number of speakers is known', () => {
  const samples = [
    sampleOf(0, 0.6),
    sampleOf(1, -0.6),
    sampleOf(0, 0.7),
    sampleOf(1, -0.5),
    sampleOf(5, 0, 1),
  ];
  assert.deepEqual(clusterSpeakers(samples, { min: 2, max: 2 }).slice(0, 4), [0, 1, 0, 1]);
});

test('two hours of a known number of speakers are separated', () => {
  const many = Array.from({ length: 3000 }, (_, index) => sampleOf(index % 4, (index % 7) / 20));
  assert.deepEqual(
    clusterSpeakers(many, { min: 4, max: 4 }),
    many.map((_, index) => index % 4),
  );
});

test('a short sample does not create a speaker', () => {
  assert.deepEqual(clusterSpeakers([...TWO, sampleOf(2, 0, 0.4)], ANY).slice(0, 5), [0, 1, 0, 1, 0]);
  assert.ok(clusterSpeakers([...TWO, sampleOf(2, 0, 0.4)], ANY)[5]! < 2);
});

test('two hours of two speakers are separated', () => {
  const many = Array.from({ length: 3000 }, (_, index) =>
    sampleOf(index % 2, (index % 7) / 20, 1 + (index % 5)),
  );
  assert.deepEqual(
    clusterSpeakers(many, ANY),
    many.map((_, index) => index % 2),
  );
});

test('consecutive segments of a speaker are one turn, and embeddings are removed', () => {
  const segment = (text: string, startSeconds: number, speaker: number | undefined) => ({
    text,
    startSeconds,
    endSeconds: startSeconds + 2,
    confidence: 1,
    language: 'en',
    words: [],
    ...(speaker !== undefined && { speakerEmbedding: sampleOf(speaker, 0).embedding }),
  });
  const transcribed = [
    segment('Hello.', 0, 0),
    segment('How are you?', 3, 0),
    segment('Hm.', 5, undefined),
    segment('Fine!', 8, 1),
  ];
  const { segments, speakerTurns } = assignSpeakers(transcribed, ANY);
  assert.deepEqual(speakerTurns, [
    { speaker: 0, text: 'Hello. How are you? Hm.', startSeconds: 0, endSeconds: 7 },
    { speaker: 1, text: 'Fine!', startSeconds: 8, endSeconds: 10 },
  ]);
  assert.ok(segments.every((one) => !('speakerEmbedding' in one)));
  assert.equal(assignSpeakers(transcribed, undefined).speakerTurns, undefined);
});
