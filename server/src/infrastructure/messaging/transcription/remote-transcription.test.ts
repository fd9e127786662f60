import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AsrEvent, AsrInput } from '../../../domain/transcription/pipeline/asr-task.ts';
import { LiveInputBuffer } from './live-input-buffer.ts';
import { TranscriptJoiner } from './transcript-joiner.ts';
import { decodeAsrInput, encodeAsrInput } from './transcription-payloads.ts';

function segment(startSeconds: number, endSeconds: number, channel?: number): AsrEvent {
  const words = [{ text: 'word', startSeconds, endSeconds, confidence: 1 }];
  const text = `${startSeconds}`;
  return { type: 'segment', startSeconds, endSeconds, text, words, language: 'en', confidence: 1, channel };
}

const audio = (seconds: number, value: number) => new Float32Array(seconds * 16_000).fill(value);

test('a live attempt begins with the audio without final text, and reads on', async () => {
  async function* source(): AsyncGenerator<AsrInput> {
    yield audio(1, 1);
    yield audio(1, 2);
    yield 'flush';
    yield audio(1, 3);
  }
  const buffer = new LiveInputBuffer(source());
  const first = buffer.read();
  for (let count = 0; count < 3; count++) await first.next();
  buffer.release(1.5);
  assert.equal(buffer.startSeconds, 1);
  const values: unknown[] = [];
  for await (const input of buffer.read()) values.push(input === 'flush' ? input : input[0]);
  assert.deepEqual(values, [2, 'flush', 3]);
});

test('live segments of another attempt are shifted, and those delivered before are skipped', () => {
  const joiner = new TranscriptJoiner({ isLive: true });
  assert.ok(joiner.add(segment(0.5, 2)));
  assert.ok(joiner.add(segment(3, 5)));
  // The attempt began before the second segment was read.
  joiner.restart(2);
  assert.equal(joiner.add(segment(1, 2.98)), undefined);
  const next = joiner.add(segment(4, 6));
  assert.ok(next?.type === 'segment');
  assert.deepEqual([next.startSeconds, next.endSeconds, next.words[0]?.startSeconds], [6, 8, 6]);
  const end = joiner.add({ type: 'end', durationSeconds: 7 });
  assert.deepEqual(end, { type: 'end', durationSeconds: 9 });
});

test('segments of a file are delivered once per channel', () => {
  const joiner = new TranscriptJoiner({ isLive: false });
  const first = [segment(0, 1, 0), segment(0, 2, 1), segment(2, 3, 0)];
  for (const event of first) assert.ok(joiner.add(event));
  joiner.restart(0);
  const again = [...first, segment(3, 4, 1), segment(4, 5, 0)].map((event) => joiner.add(event));
  assert.deepEqual(
    again.map((event) => event !== undefined),
    [false, false, false, true, true],
  );
});

test('live input keeps its exact samples', () => {
  const samples = Float32Array.from({ length: 100_000 }, (_, index) => Math.sin(index));
  const decoded = [...encodeAsrInput(samples)].map(decodeAsrInput);
  assert.ok(decoded.length > 1);
  const joined = decoded.flatMap((part) => (part === 'flush' ? [] : [...part]));
  assert.deepEqual(Float32Array.from(joined), samples);
  assert.deepEqual([...encodeAsrInput('flush')].map(decodeAsrInput), ['flush']);
});
