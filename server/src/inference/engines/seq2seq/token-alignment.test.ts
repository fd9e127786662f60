import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { alignTokens } from './token-alignment.ts';

/** Attention of a head that is high in the frames of each token and low elsewhere. */
function rowsFor(starts: readonly number[], frames: number): Float32Array[][] {
  return starts.map((start, token) => {
    const end = starts[token + 1] ?? frames;
    const row = new Float32Array(frames).fill(0.01);
    row.fill(1, start, end);
    // Real models attend to the first frame for every token.
    row[0] = 1;
    return [row];
  });
}

test('tokens start where their attention starts', () => {
  const starts = [0, 20, 45, 52, 90];
  assert.deepEqual(alignTokens(rowsFor(starts, 120), 120), starts);
});

test('a head with uniform attention does not change the result', () => {
  const starts = [0, 30, 60];
  const rows = rowsFor(starts, 100).map((row) => [...row, new Float32Array(100).fill(0.01)]);
  assert.deepEqual(alignTokens(rows, 100), starts);
});

test('without attention or tokens the starts are 0 or empty', () => {
  assert.deepEqual(alignTokens([], 10), []);
  assert.deepEqual(alignTokens([[], []], 10), [0, 0]);
});

test('starts are monotonic and within the audio for any attention', () => {
  const row = (frames: number) =>
    fc.array(fc.float({ min: 0, max: 1, noNaN: true }), { minLength: frames, maxLength: frames });
  const shape = fc.tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 30 }));
  const attention = shape.chain(([tokens, frames]) =>
    fc.array(row(frames), { minLength: tokens, maxLength: tokens }),
  );
  fc.assert(
    fc.property(attention, (values) => {
      const frames = values[0]!.length;
      const starts = alignTokens(
        values.map((numbers) => [Float32Array.from(numbers)]),
        frames,
      );
      assert.equal(starts.length, values.length);
      for (const [index, start] of starts.entries()) {
        assert.ok(start >= (starts[index - 1] ?? 0) && start < frames);
      }
    }),
  );
});
