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
  const cloned: string[] = [];
  const reference = new ReferenceVoices({
    cacheMax,
    clone: async (recordings) => {
      const contents = await Promise.all(recordings.map(async ({ audio }) => text(audio.read())));
      const name = contents.join('+');
      cloned.push(name);
      if (name === 'bad') throw new Error('no voice in it');
      const clone = { engine: 'vits', vector: Float32Array.of(cloned.length), loudnessLufs: -20 };
      return {
        clone: { ...clone, gender: 'male', measures: {} },
        recording: { samples: Float32Array.of(0.5), text: name },
      };
    },
  });
  return { cloned, reference };
}

test('equal recordings are cloned once, also in concurrent requests', async () => {
  const { cloned, reference } = voices();
  const [a, b] = await Promise.all([reference.find([recording('a')]), reference.find([recording('a')])]);
  assert.equal(a, b);
  assert.match(a.id, /^[0-9a-f]{32}$/);
  assert.equal(a.recording?.text, 'a');
  assert.notEqual((await reference.find([recording('a'), recording('b')])).id, a.id);
  assert.notEqual(
    (await reference.find([recording('ab')])).id,
    (await reference.find([recording('a'), recording('b')])).id,
  );
  assert.deepEqual(cloned, ['a', 'a+b', 'ab']);
});

test('the least recently used voice is evicted, and a failure is not cached', async () => {
  const { cloned, reference } = voices(2);
  for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) await reference.find([recording(name)]);
  assert.deepEqual(cloned, ['a', 'b', 'c', 'b']);
  await assert.rejects(reference.find([recording('bad')]), /no voice/);
  await assert.rejects(reference.find([recording('bad')]), /no voice/);
  assert.equal(cloned.filter((name) => name === 'bad').length, 2);
});
