import assert from 'node:assert/strict';
import { test } from 'node:test';
import { speechLike } from '../../../test/support/audio/signals.ts';
import { loadLibopus } from '../libopus.ts';
import { OpusStream } from './opus-stream.ts';

const PACKET_FRAMES = 960;

async function openStream() {
  const stream = await OpusStream.open({ channels: 1, preSkip: 0, outputGain: 0 });
  const encoder = await (await loadLibopus()).createEncoder({
    channels: 1,
    sampleRate: 48000,
    bitrate: 64000,
  });
  const samples = speechLike(10 * PACKET_FRAMES, 48000);
  for (let at = 0; at < samples.length; at += PACKET_FRAMES) {
    stream.push(encoder.encodeFloat(samples.slice(at, at + PACKET_FRAMES)));
  }
  encoder.free();
  return stream;
}

test('the last frames are dropped, within a packet, across packets and beyond the start', async () => {
  const whole = (await openStream()).takeRemaining()!.channels[0]!;
  const stream = await openStream();
  stream.dropLast(10);
  stream.dropLast(3 * PACKET_FRAMES);
  assert.equal(stream.totalFrames, whole.length - 10 - 3 * PACKET_FRAMES);
  assert.deepEqual(stream.takeRemaining()!.channels[0], whole.subarray(0, stream.totalFrames));
  const { totalFrames } = stream;
  stream.dropLast(5);
  assert.equal(stream.totalFrames, totalFrames, 'frames that were taken stay');
});

test('dropping frames again and again does not copy the others', async () => {
  const stream = await openStream();
  const before = process.cpuUsage();
  for (let count = 0; count < 400_000; count++) stream.dropLast(count % 100 === 0 ? 1 : 0);
  assert.ok(process.cpuUsage(before).user < 2_000_000);
  assert.equal(stream.totalFrames, 10 * PACKET_FRAMES - 4000);
});
