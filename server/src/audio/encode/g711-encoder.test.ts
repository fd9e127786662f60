import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeSamples } from '../decode/sample-encoding.ts';
import { createEncoder } from './create-encoder.ts';

const OPTIONS = { sampleRateHz: 8000, mp3BitrateKbps: 128, opusBitrateBps: 'auto' } as const;
for (const [format, kind] of [
  ['ulaw', 'mu-law'],
  ['alaw', 'a-law'],
] as const) {
  const decode = (bytes: Uint8Array) =>
    decodeSamples(bytes, { kind, bytes: 1, isLittleEndian: true }, 1)[0] as Float32Array;

  test(`every code of ${format} is its own decoded value`, async () => {
    const codes = Uint8Array.from({ length: 256 }, (_, code) => code);
    const encoder = await createEncoder({ ...OPTIONS, format });
    const encoded = encoder.encode(decode(codes));
    // µ-law has two codes for zero.
    const expected = codes.map((code) => (format === 'ulaw' && code === 0x7f ? 0xff : code));
    assert.deepEqual(encoded, expected);
  });

  test(`${format} keeps every level within 3 %`, async () => {
    const samples = Float32Array.from({ length: 2001 }, (_, index) => (index - 1000) / 1001);
    const encoder = await createEncoder({ ...OPTIONS, format });
    const decoded = decode(encoder.encode(samples));
    for (const [index, sample] of samples.entries()) {
      const error = Math.abs(decoded[index]! - sample);
      assert.ok(error <= Math.max(0.0005, 0.035 * Math.abs(sample)), `${sample} became ${decoded[index]}`);
    }
  });
}
