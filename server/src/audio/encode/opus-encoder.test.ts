import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeWithLibopus, readOggPages } from '../../../test/support/audio/decoders.ts';
import { bestLag, noise, rms, speechLike } from '../../../test/support/audio/signals.ts';
import { OggPageWriter } from './ogg-writer.ts';
import { createOpusEncoder } from './opus-encoder.ts';

async function encode(samples: Float32Array, bitrateBps: number | 'auto' = 'auto'): Promise<Uint8Array> {
  const encoder = await createOpusEncoder({ bitrateBps });
  return Buffer.concat([encoder.encode(samples), encoder.finish()]);
}

test('sequence numbers, checksums, and first and last flags of the pages follow RFC 3533', async () => {
  const pages = readOggPages(await encode(speechLike(48000 * 4, 48000)));
  assert.ok(pages.every((page) => page.isCrcValid));
  assert.deepEqual(
    pages.map((page) => page.sequenceNumber),
    pages.map((_, index) => index),
  );
  assert.equal(new Set(pages.map((page) => page.serialNumber)).size, 1);
  assert.deepEqual(
    pages.map((page) => page.flags),
    pages.map((_, index) => (index === 0 ? 2 : index === pages.length - 1 ? 4 : 0)),
  );
});

test('the headers follow RFC 7845, each on its own page', async () => {
  const [head, tags] = readOggPages(await encode(noise(48000)));
  assert.equal(head?.packets.length, 1);
  const headPacket = Buffer.from(head?.packets[0] as Uint8Array);
  assert.equal(headPacket.subarray(0, 8).toString(), 'OpusHead');
  assert.deepEqual([headPacket[8], headPacket[9], headPacket[18]], [1, 1, 0]);
  assert.equal(headPacket.readUInt16LE(10), 312);
  assert.equal(headPacket.readUInt32LE(12), 48000);
  assert.equal(tags?.packets.length, 1);
  const tagsPacket = Buffer.from(tags?.packets[0] as Uint8Array);
  assert.equal(tagsPacket.subarray(0, 8).toString(), 'OpusTags');
  assert.equal(tagsPacket.length, 8 + 4 + tagsPacket.readUInt32LE(8) + 4);
  assert.deepEqual([head?.granulePosition, tags?.granulePosition], [0n, 0n]);
});

test('granule positions count the samples of all packets; the last one removes the padding', async () => {
  const length = 48000 * 3 + 123;
  const [, , ...audio] = readOggPages(await encode(speechLike(length, 48000)));
  let packets = 0;
  for (const page of audio.slice(0, -1)) {
    packets += page.packets.length;
    assert.equal(page.granulePosition, BigInt(960 * packets));
  }
  assert.equal(audio.at(-1)?.granulePosition, BigInt(312 + length));
});

test('the first audio page is complete within 120 ms, and no page has more than a second', async () => {
  const encoder = await createOpusEncoder({ bitrateBps: 'auto' });
  const frame = new Float32Array(960);
  assert.ok(readOggPages(encoder.encode(frame)).length === 2, 'the headers are returned at once');
  let given = 1;
  while (encoder.encode(frame).length === 0) given++;
  assert.ok(given * 20 <= 120);
  for (let i = 0; i < 200; i++) {
    const pages = readOggPages(encoder.encode(frame));
    assert.ok(pages.every((page) => page.packets.length <= (i < 40 ? 10 : 50)));
  }
  encoder.dispose();
});

test('the decoded audio has the length of the input, and the error is small', async () => {
  const samples = speechLike(48000, 48000);
  const decoded = await decodeWithLibopus(await encode(samples, 64000));
  assert.equal(decoded.length, samples.length);
  const error = samples.map((sample, i) => sample - (decoded[i] as number));
  assert.ok(rms(error) < 0.25 * rms(samples), `error ${rms(error) / rms(samples)}`);
});

test('the first decoded sample is the first input sample', async () => {
  // Noise, because the high-pass filter of the codec shifts the phase of low frequencies.
  const samples = noise(12000, 0.1);
  assert.equal(bestLag(samples, await decodeWithLibopus(await encode(samples, 64000)), 60), 0);
});

test('the file has the requested bitrate', async () => {
  const samples = speechLike(48000 * 5, 48000);
  for (const bitrateBps of [24000, 32000, 48000, 64000]) {
    const actualBps = ((await encode(samples, bitrateBps)).length * 8) / 5;
    assert.ok(Math.abs(actualBps / bitrateBps - 1) < 0.25, `${bitrateBps}: ${actualBps}`);
  }
});

test('a packet of a multiple of 255 bytes ends with an empty segment', () => {
  const packets = [new Uint8Array(255).fill(7), new Uint8Array(510).fill(8), new Uint8Array(3)];
  const [page] = readOggPages(new OggPageWriter(1).page(packets, 2 ** 40 + 5));
  assert.deepEqual(page?.packets, packets);
  assert.equal(page?.granulePosition, 2n ** 40n + 5n);
  assert.ok(page?.isCrcValid);
});

test('more segments than a page can have are rejected', () => {
  assert.throws(() => new OggPageWriter(1).page([new Uint8Array(255 * 255)], 0), RangeError);
});
