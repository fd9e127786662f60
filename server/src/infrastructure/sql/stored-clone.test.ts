import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClonedVoice } from '../../domain/voices/voice-cloner.ts';
import { cloneToJson, ParsedClones } from './stored-clone.ts';

const CLONE: ClonedVoice = {
  engine: 'kokoro-fast',
  vector: Float32Array.of(0.5, -1.25, 3),
  loudnessLufs: -20.5,
  gender: 'female',
  measures: { distance: 0.4 },
};

test('a voice that is read again has the same vector', () => {
  const clones = new ParsedClones();
  const first = clones.parse('a', cloneToJson(CLONE));
  assert.deepEqual(first, CLONE);
  assert.equal(clones.parse('a', cloneToJson(CLONE)), first);
});

test('a voice that has changed is parsed again', () => {
  const clones = new ParsedClones();
  clones.parse('a', cloneToJson(CLONE));
  const vector = Float32Array.of(4, 5, 6);
  assert.deepEqual(clones.parse('a', cloneToJson({ ...CLONE, vector })).vector, vector);
});

test('the voice that was not used for the longest time is parsed again', () => {
  const clones = new ParsedClones();
  const json = cloneToJson(CLONE);
  const first = clones.parse('first', json);
  const second = clones.parse('second', json);
  for (let index = 0; index < 15; index++) {
    clones.parse(String(index), json);
    assert.equal(clones.parse('second', json), second);
  }
  assert.notEqual(clones.parse('first', json), first);
});
