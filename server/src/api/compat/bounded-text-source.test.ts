import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundedTextSource } from './bounded-text-source.ts';
import { CharacterTimeline } from './character-times.ts';

test('discarded text keeps its offsets', () => {
  const text = new BoundedTextSource({ keptMax: 10 });
  text.append('01234');
  text.discard(3);
  text.append('56789');
  assert.equal(text.length, 10);
  assert.equal(text.slice(3, 7), '3456');
  assert.equal(text.slice(0, 5), '34');
  text.discard(100);
  assert.equal(text.length, 10);
  assert.equal(text.slice(0, 100), '');
});

test('text without end is accepted while its times are taken, and refused otherwise', () => {
  const text = new BoundedTextSource({ keptMax: 1000 });
  const timeline = new CharacterTimeline(text);
  let characters = 0;
  for (let word = 0; word < 10_000; word++) {
    const start = text.length;
    text.append('word ');
    const segment = { text: 'word', start: word, end: word + 1, char_start: start, char_end: start + 4 };
    const alignment = { segments: [segment], audio_duration: 1 };
    const spans = timeline.add({ content: '', alignment, chunk_seq: word, chunk_audio_offset_sec: 0 });
    for (const span of spans) characters += span.characters.length;
  }
  for (const span of timeline.finish()) characters += span.characters.length;
  assert.equal(characters, 50_000);
  assert.throws(() => text.append('x'.repeat(1001)), { code: 'text_too_long' });
});
