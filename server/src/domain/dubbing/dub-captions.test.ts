import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinSamples } from '../../audio/pcm.ts';
import type { ParsedCaption } from '../captions/parse-captions.ts';
import { dubCaptions } from './dub-captions.ts';

const RATE = 1000;

function caption(startSeconds: number, endSeconds: number, text: string): ParsedCaption {
  return { startSeconds, endSeconds, text, speaker: undefined };
}

/** A voice that needs a tenth of a second per character, with silence around it. */
function createVoice() {
  const speeds: number[] = [];
  const speak = async ({ text }: ParsedCaption, speed: number) => {
    speeds.push(Math.round(speed * 100) / 100);
    const speech = new Float32Array(Math.round((text.length * 0.1 * RATE) / speed)).fill(0.25);
    return joinSamples([new Float32Array(100), speech, new Float32Array(200)]);
  };
  return { speak, speeds };
}

async function dub(captions: readonly ParsedCaption[], maxSpeed = 1.3) {
  const voice = createVoice();
  const parts: Float32Array[] = [];
  const options = { sampleRateHz: RATE, maxSpeed, onCaption: () => {} };
  for await (const { samples } of dubCaptions(captions, voice.speak, options)) {
    assert.ok(samples.length > 0 && samples.length <= RATE);
    parts.push(samples.slice());
  }
  return { samples: joinSamples(parts), speeds: voice.speeds };
}

/** First and last sample above a level, in seconds, within a range. */
function spanOf(samples: Float32Array, from = 0, to = samples.length / RATE): [number, number] {
  const part = samples.subarray(from * RATE, to * RATE);
  return [
    from + part.findIndex((x) => x > 0.01) / RATE,
    from + (part.findLastIndex((x) => x > 0.01) + 1) / RATE,
  ];
}

test('speech starts at the time of its caption and is accelerated only as far as needed', async () => {
  const { samples, speeds } = await dub([caption(1, 3, '12345'), caption(4, 5, '1234567890x'.slice(0, 11))]);
  const [start, end] = spanOf(samples, 0, 3.5);
  assert.ok(Math.abs(start - 1) < 0.05 && end <= 3, `${start} ${end}`);
  const [second, last] = spanOf(samples, 3.5);
  assert.ok(Math.abs(second - 4) < 0.05 && last <= 5, `${second} ${last}`);
  assert.deepEqual(speeds, [1, 1, 1.16]);
});

test('speech that is too long at the maximum rate uses the pause, and ends before the next caption', async () => {
  const { samples, speeds } = await dub([caption(0, 1, 'x'.repeat(30)), caption(2, 3, 'y')]);
  assert.deepEqual(speeds, [1, 1.3, 1]);
  const [, end] = spanOf(samples, 0, 1.99);
  assert.ok(end > 1.9 && end <= 2);
  assert.ok(Math.abs(spanOf(samples, 2)[0] - 2) < 0.05);
});

test('captions that overlap are mixed', async () => {
  const { samples } = await dub([caption(0, 2, 'x'.repeat(20)), caption(1, 3, 'y'.repeat(20))], 1);
  assert.equal(samples[500], 0.25);
  assert.equal(samples[1500], 0.5);
  assert.equal(samples[2500], 0.25);
});

test('captions within a longer one are mixed into its samples, which are not copied for each', async () => {
  const captions = [caption(0, 10, 'x'.repeat(50))];
  for (let index = 1; index <= 40; index++) captions.push(caption(index / 10, 10, index === 40 ? 'y' : ''));
  const voice = createVoice();
  const buffers = new Set<unknown>();
  const parts: Float32Array[] = [];
  const options = { sampleRateHz: RATE, maxSpeed: 1, onCaption: () => {} };
  for await (const { samples } of dubCaptions(captions, voice.speak, options)) {
    buffers.add(samples.buffer);
    parts.push(samples.slice());
  }
  assert.equal(buffers.size, 1);
  const mixed = joinSamples(parts);
  assert.equal(mixed[3950], 0.25);
  assert.equal(mixed[4050], 0.5);
  assert.equal(mixed[4200], 0.25);
});
