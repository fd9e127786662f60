import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AdtsFrameCounter } from './adts-frame-counter.ts';

/** An ADTS frame of this length, header included: AAC-LC, 44.1 kHz, one channel. */
function frameOf(bytes: number): Buffer {
  const frame = Buffer.alloc(bytes, 0xff);
  frame.set([0xff, 0xf1, 0x50, 0x40 | (bytes >> 11), (bytes >> 3) & 0xff, ((bytes & 7) << 5) | 0x1f, 0xfc]);
  return frame;
}

test('the number of frames does not depend on the chunks of the stream', () => {
  const lengths = fc.array(fc.integer({ min: 7, max: 8191 }), { maxLength: 20 });
  fc.assert(
    fc.property(lengths, fc.integer({ min: 1, max: 3000 }), (frames, chunkBytes) => {
      const stream = Buffer.concat(frames.map(frameOf));
      const counter = new AdtsFrameCounter();
      for (let from = 0; from < stream.length; from += chunkBytes)
        counter.read(stream.subarray(from, from + chunkBytes));
      assert.equal(counter.count, frames.length);
    }),
  );
});

test('a frame of length 0 does not stop the count', () => {
  const counter = new AdtsFrameCounter();
  counter.read(new Uint8Array(600));
  assert.equal(counter.count, 100);
});
