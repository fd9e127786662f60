import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { alignTokens } from './token-alignment.ts';

/** Attention of a head that looks at a token's own frames, with some of it elsewhere. */
function rowsFor(starts: readonly number[], frames: number): Float32Array[][] {
  return starts.map((start, token) => {
    const end = starts[token + 1] ?? frames;
    const row = new Float32Array(frames).fill(0.01);
    row.fill(1, start, end);
    // Real models also look at the first frame, whatever is said.
    row[0] = 1;
    return [row];
  });
}

test('tokens begin where their attention begins', () => {
  const starts = [0, 20, 45, 52, 90];
  assert.deepEqual(alignTokens(rowsFor(starts, 120), 120), starts);
});

test('a head that looks nowhere in particular does no harm', () => {
  const starts = [0, 30, 60];
  const rows = rowsFor(starts, 100).map((row) => [...row, new Float32Array(100).fill(0.01)]);
  assert.deepEqual(alignTokens(rows, 100), starts);
});

test('without attention, frames or tokens there are no times to find', () => {
  assert.deepEqual(alignTokens([], 10), []);
  assert.deepEqual(alignTokens([[], []], 10), [0, 0]);
});

test('times never go back and stay inside, whatever the attention is', () => {
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
