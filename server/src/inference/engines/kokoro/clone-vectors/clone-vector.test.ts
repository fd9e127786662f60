import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  DECODER_VOICE_SIZE,
  movePitch,
  prosodyVoiceFor,
  readCloneVector,
  writeCloneVector,
} from './clone-vector.ts';
import { initialWeightChanges } from './weight-changes.ts';

const clone = {
  decoderVoice: Float32Array.from({ length: DECODER_VOICE_SIZE }, (_, index) => index / 1000),
  medianHz: 128,
  rangeOctaves: 0.25,
};

test('a cloned voice is written to a vector and read from it', () => {
  const read = readCloneVector({ kind: 'vector', values: writeCloneVector(clone) });
  assert.deepEqual(read, clone);
});

test('weight changes follow the pitch, so that a voice without them is the beginning of one with them', () => {
  const changes = initialWeightChanges();
  const decoderVoice = new Float32Array(DECODER_VOICE_SIZE + changes.length);
  decoderVoice.set(clone.decoderVoice);
  decoderVoice.set(changes, DECODER_VOICE_SIZE);
  const vector = writeCloneVector({ ...clone, decoderVoice });
  assert.deepEqual(readCloneVector({ kind: 'vector', values: vector }), { ...clone, decoderVoice });
  const without = writeCloneVector(clone);
  assert.deepEqual(vector.slice(0, without.length), without);
});

test('the first weight changes add nothing to the weights', () => {
  const changes = initialWeightChanges();
  assert.equal(changes.length, 49_152);
  assert.ok(changes[0] !== 0 && changes[3 * 512 * 4 - 1] !== 0);
  assert.ok(changes.subarray(3 * 512 * 4, 4 * 512 * 4).every((value) => value === 0));
  assert.ok(changes[4 * 512 * 4] !== 0);
});

test('other voices are not cloned voices', () => {
  assert.equal(readCloneVector({ kind: 'named', name: 'af_heart' }), undefined);
  assert.equal(readCloneVector({ kind: 'vector', values: new Float32Array(256) }), undefined);
});

test('the prosody voice follows the language and the pitch', () => {
  assert.equal(prosodyVoiceFor('en-US', 110).name, 'am_michael');
  assert.equal(prosodyVoiceFor('en-US', 210).name, 'af_heart');
  assert.equal(prosodyVoiceFor('es', 110).name, 'em_alex');
  assert.equal(prosodyVoiceFor('und', 110).name, 'am_michael');
});

test('the pitch is moved to the median and the range of the clone; unvoiced values are unchanged', () => {
  const prosody = { name: 'x', medianHz: 200, rangeOctaves: 0.25 };
  const moved = movePitch(Float32Array.of(0, 1, 200, 400, 100), prosody, clone);
  assert.deepEqual([...moved], [0, 1, 128, 256, 64]);
  const flat = movePitch(Float32Array.of(400), { ...prosody, rangeOctaves: 0.5 }, clone);
  assert.ok(Math.abs(flat[0]! - 128 * 2 ** 0.6) < 0.01, 'a range is reduced to no less than 0.6 times');
});
