import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EVENT_LIMITS, EventDecoder, encodeEvent } from './events.ts';

test('events do not depend on the chunks of the stream', () => {
  const event = fc.record({
    type: fc.string({ minLength: 1, maxLength: 20 }),
    data: fc.dictionary(fc.string({ maxLength: 5 }), fc.string({ maxLength: 50 })),
    payload: fc.uint8Array({ maxLength: 100 }),
  });
  fc.assert(
    fc.property(fc.array(event), fc.integer({ min: 1, max: 50 }), (events, size) => {
      const bytes = Buffer.concat(events.map(({ type, data, payload }) => encodeEvent(type, data, payload)));
      const decoder = new EventDecoder();
      const decoded = [];
      for (let from = 0; from < bytes.length; from += size) {
        decoded.push(...decoder.push(bytes.subarray(from, from + size)));
      }
      assert.deepEqual(
        decoded.map(({ type, data, payload }) => [type, { ...data }, new Uint8Array(payload)]),
        events.map(({ type, data, payload }) => [type, { ...data }, payload]),
      );
    }),
  );
});

test('data in the header and after it are merged', () => {
  const after = Buffer.from('{"b": 2}');
  const header = `{"type": "x", "data": {"a": 1, "b": 1}, "data_length": ${after.length}}\n`;
  const [event] = new EventDecoder().push(Buffer.concat([Buffer.from(header), after]));
  assert.deepEqual(event?.data, { a: 1, b: 2 });
});

const INVALID: readonly (readonly [string, string, string])[] = [
  ['no JSON', 'GET / HTTP/1.1\n', 'invalid_body'],
  ['a list', '[]\n', 'invalid_body'],
  ['no type', '{}\n', 'invalid_body'],
  ['a negative length', '{"type": "x", "data_length": -1}\n', 'invalid_body'],
  ['a length in text', '{"type": "x", "payload_length": "9"}\n', 'invalid_body'],
  ['too much data', `{"type": "x", "data_length": ${EVENT_LIMITS.dataMaxBytes + 1}}\n`, 'body_too_large'],
  [
    'too much payload',
    `{"type": "x", "payload_length": ${EVENT_LIMITS.payloadMaxBytes + 1}}\n`,
    'body_too_large',
  ],
  ['a header without end', 'x'.repeat(EVENT_LIMITS.headerMaxBytes + 1), 'body_too_large'],
];
for (const [what, bytes, code] of INVALID) {
  test(`${what} is rejected with ${code}`, () => {
    assert.throws(() => new EventDecoder().push(Buffer.from(bytes)), { code });
  });
}
