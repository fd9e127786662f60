import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Utterance } from '../../../domain/engines/tts-engine.ts';
import { KeptVectors, SentVectors } from './kept-vectors.ts';

const utteranceOf = (values: Float32Array): Utterance => ({
  words: [],
  language: 'en-US',
  voice: { kind: 'vector', values },
  speed: 1,
  seed: 0,
});

/** The voice as the worker gets it, and the number of values that were sent. */
function send(sent: SentVectors, kept: KeptVectors, values: Float32Array) {
  const message = structuredClone(sent.pack(utteranceOf(values)));
  const { voice } = kept.unpack(message);
  assert.ok(voice.kind === 'vector' && message.utterance.voice.kind === 'vector');
  return { received: voice.values, sentValues: message.utterance.voice.values.length };
}

test('a vector is sent once, and the worker has one array for all utterances of its voice', () => {
  const [sent, kept] = [new SentVectors(), new KeptVectors()];
  const [one, two] = [Float32Array.of(1, 2), Float32Array.of(3, 4)];
  const first = send(sent, kept, one);
  assert.deepEqual(first, { received: one, sentValues: 2 });
  assert.deepEqual(send(sent, kept, two), { received: two, sentValues: 2 });
  const again = send(sent, kept, one);
  assert.equal(again.sentValues, 0);
  assert.equal(again.received, first.received);
});

test('a vector takes the place of the one that was not used for the longest time', () => {
  const [sent, kept] = [new SentVectors(), new KeptVectors()];
  const vectors = Array.from({ length: 17 }, (_, index) => Float32Array.of(index));
  for (const vector of vectors.slice(0, 16)) send(sent, kept, vector);
  send(sent, kept, vectors[0]!);
  send(sent, kept, vectors[16]!);
  assert.deepEqual(send(sent, kept, vectors[0]!), { received: vectors[0], sentValues: 0 });
  assert.deepEqual(send(sent, kept, vectors[16]!), { received: vectors[16], sentValues: 0 });
  assert.deepEqual(send(sent, kept, vectors[1]!), { received: vectors[1], sentValues: 1 });
});

test('other voices are sent as they are', () => {
  const utterance: Utterance = {
    ...utteranceOf(new Float32Array()),
    voice: { kind: 'named', name: 'af_heart' },
  };
  const message = new SentVectors().pack(utterance);
  assert.deepEqual(message, { utterance });
  assert.equal(new KeptVectors().unpack(message), utterance);
});
