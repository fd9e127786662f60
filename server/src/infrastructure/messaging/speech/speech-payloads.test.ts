import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packSamples, unpackSamples } from '../../../audio/packed-samples.ts';
import { PAYLOAD_MAX_BYTES } from '../protocol/messages.ts';
import { decodePart, encodePart } from './speech-payloads.ts';

const sampleRateHz = 24_000;

/** A part as it comes from a worker process. */
function partOf(seconds: number) {
  const packed = packSamples(
    Float32Array.from({ length: seconds * sampleRateHz }, (_, index) => Math.sin(index / 7) / 3),
  );
  return { packed, samples: unpackSamples(packed), sampleRateHz };
}

test('packed and float payloads give the same samples, so that versions can be mixed', () => {
  const part = partOf(9);
  for (const acceptsPacked of [true, false, undefined]) {
    const payloads = [...encodePart(part, { acceptsPacked })];
    const samples = payloads.flatMap((payload) => [...decodePart(payload).samples]);
    assert.deepEqual(samples, [...part.samples]);
    assert.ok(payloads.every(({ byteLength }) => byteLength <= PAYLOAD_MAX_BYTES));
    assert.equal(payloads.length, acceptsPacked === true ? 3 : 5);
  }
});

test('the longest window of an engine is one packed payload with its word times', () => {
  const wordTimes = Array.from({ length: 256 }, (_, wordIndex) => ({
    wordIndex,
    startSeconds: 1,
    endSeconds: 2,
  }));
  const [payload, ...rest] = encodePart(
    { ...partOf(4), wordTimes, workSeconds: 0.5 },
    { acceptsPacked: true },
  );
  assert.equal(rest.length, 0);
  assert.ok(payload !== undefined && payload.byteLength <= PAYLOAD_MAX_BYTES);
  const decoded = decodePart(payload);
  assert.equal(decoded.samples.length, 4 * sampleRateHz);
  assert.deepEqual([decoded.wordTimes?.length, decoded.workSeconds], [256, 0.5]);
});

test('a part without packed samples is sent as floats', () => {
  const samples = Float32Array.of(0.1, -0.2);
  const payloads = [...encodePart({ samples, sampleRateHz }, { acceptsPacked: true })];
  assert.deepEqual(
    payloads.map((payload) => decodePart(payload).samples),
    [samples],
  );
});

test('an odd number of bytes is not audio', () => {
  const [payload] = encodePart({ samples: new Float32Array(1), sampleRateHz });
  assert.ok(payload !== undefined);
  const broken = payload.slice(0, -1);
  assert.throws(() => decodePart(broken));
});

test('a scale that is not finite is not audio', () => {
  const part = { ...partOf(1), packed: { values: new Int16Array(2), scale: Number.POSITIVE_INFINITY } };
  const [payload] = encodePart(part, { acceptsPacked: true });
  assert.throws(() => decodePart(payload!), TypeError);
});
