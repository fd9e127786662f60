import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitAudioMessage } from './split-audio-message.ts';

const AUDIO = Buffer.from(Array.from({ length: 100_001 }, (_, index) => (index * 7) % 256));
const base64 = AUDIO.toString('base64');

test('the audio of a long message is taken out, wherever its key is', () => {
  const messages = [
    JSON.stringify({ type: 'append', audio: base64, more: [1] }),
    JSON.stringify({ audio: base64, type: 'append' }, undefined, 2),
  ];
  for (const text of messages) {
    const split = splitAudioMessage(Buffer.from(text), 'audio');
    assert.ok(split);
    assert.ok(split.audio.equals(AUDIO));
    assert.deepEqual(JSON.parse(split.message.toString()), { ...JSON.parse(text), audio: '' });
  }
});

test('a message that is short, escaped, unfinished or without the key is left to the JSON parser', () => {
  for (const text of [
    JSON.stringify({ audio: 'AAAA' }),
    JSON.stringify({ audio: base64 }).replaceAll('/', '\\/'),
    JSON.stringify({ audio: base64 }).slice(0, -10),
    JSON.stringify({ other: base64 }),
    JSON.stringify({ audio: null, other: base64 }),
    JSON.stringify({ other: base64, audio: base64 }),
  ]) {
    assert.equal(splitAudioMessage(Buffer.from(text), 'audio'), undefined);
  }
});
