import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { ApiError } from '../../errors.ts';
import { type BodyLimits, readBody } from './read-body.ts';

const LIMITS: BodyLimits = {
  maxBytes: 1000,
  stallMs: 60_000,
  timeoutMs: 60_000,
  minBytesPerSecond: 0,
};
const tooLarge = () => new ApiError('body_too_large', 'too large');

/** Reads what is written to the source; the source is ended only by the test. */
function startReading(limits: Partial<BodyLimits>) {
  const source = new PassThrough();
  const read = async () => {
    const parts: Buffer[] = [];
    for await (const part of readBody(source, { ...LIMITS, ...limits }, tooLarge)) parts.push(part);
    return Buffer.concat(parts).length;
  };
  return { source, bytes: read() };
}

test('a complete body is read', async () => {
  const { source, bytes } = startReading({ minBytesPerSecond: 1000, graceMs: 10_000 });
  source.write('x'.repeat(600));
  source.end('x'.repeat(400));
  assert.equal(await bytes, 1000);
});

test('a body above the size limit is rejected', async () => {
  const { source, bytes } = startReading({});
  source.write('x'.repeat(600));
  source.write('x'.repeat(401));
  await assert.rejects(bytes, { code: 'body_too_large' });
  assert.equal(source.destroyed, false);
});

const SLOW: readonly (readonly [string, Partial<BodyLimits>])[] = [
  ['stops', { stallMs: 50 }],
  ['takes too long in total', { timeoutMs: 50 }],
  ['falls below the minimum rate', { minBytesPerSecond: 1000, graceMs: 50 }],
];
for (const [what, limits] of SLOW) {
  test(`a client that ${what} is rejected with body_timeout`, async () => {
    const { source, bytes } = startReading(limits);
    source.write('x');
    await assert.rejects(bytes, { code: 'body_timeout' });
    assert.equal(source.destroyed, false, 'the response can still be sent');
  });
}

test('a slow client that never stops is rejected as well', async () => {
  const limits = { minBytesPerSecond: 1000, graceMs: 50, stallMs: 60_000 };
  const { source, bytes } = startReading(limits);
  const drip = setInterval(() => source.write('x'), 5);
  await assert.rejects(bytes, { code: 'body_timeout' });
  clearInterval(drip);
});

test('bytes that arrived early earn time', async () => {
  const { source, bytes } = startReading({ minBytesPerSecond: 1, graceMs: 1 });
  source.write('x'.repeat(900));
  setTimeout(() => source.end('x'), 100);
  assert.equal(await bytes, 901);
});
