import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SmallMap } from './small-map.ts';

test('a few values are kept as a map keeps them', () => {
  const step = fc.record({ id: fc.nat(5), isAdding: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const few = new SmallMap<string>();
      const map = new Map<number, string>();
      for (const [index, { id, isAdding }] of steps.entries()) {
        if (!isAdding) assert.equal(few.delete(id), map.delete(id));
        else if (!map.has(id)) {
          few.add(id, `value ${index}`);
          map.set(id, `value ${index}`);
        }
        assert.equal(few.size, map.size);
        assert.deepEqual(few.ids(), [...map.keys()]);
        assert.deepEqual(few.values(), [...map.values()]);
        assert.equal(few.has(id), map.has(id));
        assert.equal(few.get(id), map.get(id));
      }
    }),
  );
});
