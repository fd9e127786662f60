import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import type { Recording } from '../intake/read-recordings.ts';
import { MemoryAudio } from '../intake/stored-audio.ts';
import { ReferenceVoices } from './reference-voices.ts';

const recording = (content: string): Recording => ({
  filename: 'x',
  audio: new MemoryAudio(Buffer.from(content)),
  text: undefined,
});

function voices(cacheMax = 2) {
  const made: string[] = [];
  const reference = new ReferenceVoices({
    cacheMax,
    clone: async (recordings) => {
      const contents = await Promise.all(recordings.map(async ({ audio }) => text(audio.read())));
      const name = contents.join('+');
      made.push(name);
      if (name === 'bad') throw new Error('no voice in it');
      const clone = { engine: 'vits', vector: Float32Array.of(made.length), loudnessLufs: -20 };
      return {
        clone: { ...clone, gender: 'male', measures: {} },
        recording: { samples: Float32Array.of(0.5), text: name },
      };
    },
  });
  return { made, reference };
}

test('the same recordings are cloned once, also when they come at once', async () => {
  const { made, reference } = voices();
  const [a, b] = await Promise.all([reference.of([recording('a')]), reference.of([recording('a')])]);
  assert.equal(a, b);
  assert.match(a.id, /^[0-9a-f]{32}$/);
  assert.equal(a.recording?.text, 'a');
  assert.notEqual((await reference.of([recording('a'), recording('b')])).id, a.id);
  assert.notEqual(
    (await reference.of([recording('ab')])).id,
    (await reference.of([recording('a'), recording('b')])).id,
  );
  assert.deepEqual(made, ['a', 'a+b', 'ab']);
});

test('the least recently used is forgotten, and a failure is not remembered', async () => {
  const { made, reference } = voices(2);
  for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) await reference.of([recording(name)]);
  assert.deepEqual(made, ['a', 'b', 'c', 'b']);
  await assert.rejects(reference.of([recording('bad')]), /no voice/);
  await assert.rejects(reference.of([recording('bad')]), /no voice/);
  assert.equal(made.filter((name) => name === 'bad').length, 2);
});
