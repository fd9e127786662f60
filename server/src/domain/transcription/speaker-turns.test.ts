import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterVoices } from './speaker-clusters.ts';
import { assignSpeakers } from './speaker-turns.ts';

const ANY = { min: 1, max: 32 };

/** A voice as a direction, and samples of it that lean a little to one side or the other. */
function sampleOf(voice: number, lean: number, seconds = 3) {
  const print = new Array<number>(16).fill(0);
  print[voice] = Math.cos(lean);
  print[15 - voice] = Math.sin(lean);
  return { print, seconds };
}

const TWO = [sampleOf(0, 0.1), sampleOf(1, 0.2), sampleOf(0, -0.3), sampleOf(1, -0.1), sampleOf(0, 0.2)];

test('samples are grouped by voice, numbered as they appear', () => {
  assert.deepEqual(clusterVoices(TWO, ANY), [0, 1, 0, 1, 0]);
  assert.deepEqual(clusterVoices([...TWO, sampleOf(2, 0)], ANY), [0, 1, 0, 1, 0, 2]);
  assert.deepEqual(clusterVoices([], ANY), []);
});

test('there are as many voices as there must be', () => {
  assert.deepEqual(clusterVoices(TWO, { min: 1, max: 1 }), [0, 0, 0, 0, 0]);
  assert.equal(new Set(clusterVoices(TWO, { min: 3, max: 3 })).size, 3);
  assert.equal(new Set(clusterVoices(TWO.slice(0, 2), { min: 3, max: 5 })).size, 2);
});

test('a short sample founds no voice of its own', () => {
  assert.deepEqual(clusterVoices([...TWO, sampleOf(2, 0, 0.4)], ANY).slice(0, 5), [0, 1, 0, 1, 0]);
  assert.ok(clusterVoices([...TWO, sampleOf(2, 0, 0.4)], ANY)[5]! < 2);
});

test('two hours of two speakers are told apart', () => {
  const many = Array.from({ length: 3000 }, (_, index) =>
    sampleOf(index % 2, (index % 7) / 20, 1 + (index % 5)),
  );
  assert.deepEqual(
    clusterVoices(many, ANY),
    many.map((_, index) => index % 2),
  );
});

test('what one person says in a row is one turn, and voice prints do not leave', () => {
  const segment = (text: string, startSeconds: number, voice: number | undefined) => ({
    text,
    startSeconds,
    endSeconds: startSeconds + 2,
    confidence: 1,
    language: 'en',
    words: [],
    ...(voice !== undefined && { voicePrint: sampleOf(voice, 0).print }),
  });
  const heard = [
    segment('Hello.', 0, 0),
    segment('How are you?', 3, 0),
    segment('Hm.', 5, undefined),
    segment('Fine!', 8, 1),
  ];
  const { segments, speakerTurns } = assignSpeakers(heard, ANY);
  assert.deepEqual(speakerTurns, [
    { speaker: 0, text: 'Hello. How are you? Hm.', startSeconds: 0, endSeconds: 7 },
    { speaker: 1, text: 'Fine!', startSeconds: 8, endSeconds: 10 },
  ]);
  assert.ok(segments.every((one) => !('voicePrint' in one)));
  assert.equal(assignSpeakers(heard, undefined).speakerTurns, undefined);
});
