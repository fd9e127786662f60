import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import type { Recording } from '../intake/read-recordings.ts';
import { MemoryAudio } from '../intake/stored-audio.ts';
import type { Voice } from '../voice.ts';
import { ReferenceVoices } from './reference-voices.ts';

const recording = (content: string, transcript?: string): Recording => ({
  filename: 'x',
  audio: new MemoryAudio(Buffer.from(content)),
  text: transcript,
});
const call = { accountId: 'ada', signal: new AbortController().signal };

/** Each recording has a duration of 10 seconds. */
function voices({ cacheMax = 2, maxSeconds = 300 } = {}) {
  const cloned: string[] = [];
  const reference = new ReferenceVoices({
    settings: {
      referenceCacheMax: cacheMax,
      referencesMaxSeconds: maxSeconds,
      voiceCreationMaxSeconds: 60,
    },
    clone: async (recordings) => {
      const contents = await Promise.all(recordings.map(async ({ audio }) => text(audio.read())));
      const name = contents.join('+');
      cloned.push(name);
      if (name === 'bad') throw new Error('no voice in it');
      const clone = { engine: 'vits', vector: Float32Array.of(cloned.length), loudnessLufs: -20 };
      return {
        clone: { ...clone, gender: 'male', measures: {} },
        recording: { samples: Float32Array.of(0.5), text: recordings[0]?.text ?? name },
        durationSeconds: 10 * recordings.length,
      };
    },
  });
  const find = async (recordings: readonly Recording[], by = call): Promise<Voice> => {
    const [voice] = await reference.clone([recordings], by);
    assert.ok(voice);
    return voice;
  };
  return { cloned, reference, find };
}

test('equal recordings are cloned once, also in concurrent requests', async () => {
  const { cloned, find } = voices();
  const [a, b] = await Promise.all([find([recording('a')]), find([recording('a')])]);
  assert.equal(a, b);
  assert.match(a.id, /^[0-9a-f]{32}$/);
  assert.equal(a.recording?.text, 'a');
  assert.notEqual((await find([recording('a'), recording('b')])).id, a.id);
  assert.notEqual((await find([recording('ab')])).id, (await find([recording('a'), recording('b')])).id);
  assert.deepEqual(cloned, ['a', 'a+b', 'ab']);
});

test('another transcript gives another voice with that transcript', async () => {
  const { cloned, find } = voices({ cacheMax: 8 });
  const one = await find([recording('a', 'One.')]);
  const two = await find([recording('a', 'Two.')]);
  assert.notEqual(one.id, two.id);
  assert.deepEqual([one.recording?.text, two.recording?.text], ['One.', 'Two.']);
  assert.deepEqual(cloned, ['a', 'a']);
});

test('accounts share no cached voice', async () => {
  const { cloned, find } = voices({ cacheMax: 8 });
  const own = await find([recording('a')]);
  const other = await find([recording('a')], { ...call, accountId: 'eve' });
  assert.notEqual(own.id, other.id);
  assert.deepEqual(cloned, ['a', 'a']);
});

test('the least recently used voice is evicted, and a failure is not cached', async () => {
  const { cloned, find } = voices();
  for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) await find([recording(name)]);
  assert.deepEqual(cloned, ['a', 'b', 'c', 'b']);
  await assert.rejects(find([recording('bad')]), /no voice/);
  await assert.rejects(find([recording('bad')]), /no voice/);
  assert.equal(cloned.filter((name) => name === 'bad').length, 2);
});

test('the limit of the duration applies to all speakers together, also to cached voices', async () => {
  const { cloned, reference, find } = voices({ cacheMax: 8, maxSeconds: 20 });
  for (const name of ['a', 'b', 'c']) await find([recording(name)]);
  const speakers = (...names: string[]) => names.map((name) => [recording(name)]);
  assert.equal((await reference.clone(speakers('a', 'b'), call)).length, 2);
  await assert.rejects(reference.clone(speakers('a', 'b', 'c'), call), { code: 'audio_too_long' });
  await assert.rejects(reference.clone(speakers('d', 'e', 'f', 'g'), call), { code: 'audio_too_long' });
  assert.deepEqual(cloned, ['a', 'b', 'c', 'd', 'e', 'f']);
});
