import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SmallMap } from './small-map.ts';

test('the content and order are those of a Map', () => {
  const step = fc.record({ id: fc.nat(5), isAdding: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const smallMap = new SmallMap<string>();
      const map = new Map<number, string>();
      for (const [index, { id, isAdding }] of steps.entries()) {
        if (!isAdding) assert.equal(smallMap.delete(id), map.delete(id));
        else if (!map.has(id)) {
          smallMap.add(id, `value ${index}`);
          map.set(id, `value ${index}`);
        }
        assert.equal(smallMap.size, map.size);
        assert.deepEqual(smallMap.ids(), [...map.keys()]);
        assert.deepEqual(smallMap.values(), [...map.values()]);
        assert.equal(smallMap.has(id), map.has(id));
        assert.equal(smallMap.get(id), map.get(id));
      }
    }),
  );
});
