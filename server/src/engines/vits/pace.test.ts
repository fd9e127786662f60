import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { paceOf, stretchDurations } from './pace.ts';

test('a speed is reached by longer sounds or by fewer frames, never by both', () => {
  assert.deepEqual(paceOf(1), { stretch: 1, step: 1 });
  assert.deepEqual(paceOf(0.5), { stretch: 2, step: 1 });
  assert.deepEqual(paceOf(2), { stretch: 1, step: 2 });
});

test('stretched durations add up, and no sound gets shorter', () => {
  const durations = fc.array(fc.nat(40), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(durations, fc.double({ min: 1, max: 4, noNaN: true }), (frames, stretch) => {
      const stretched = stretchDurations(Int32Array.from(frames), stretch);
      const total = frames.reduce((sum, count) => sum + count, 0);
      assert.equal(
        stretched.reduce((sum, count) => sum + count, 0),
        Math.round(total * stretch),
      );
      assert.ok(stretched.every((count, index) => count >= frames[index]!));
    }),
  );
});
