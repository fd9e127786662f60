import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { candidateThreadCounts, type MeasuredThreadChoice, selectThreadCount } from './thread-choice.ts';

const CORES: readonly [cores: number, ways: readonly [workers: number, threads: number][]][] = [
  [1, [[1, 1]]],
  [
    2,
    [
      [2, 1],
      [1, 2],
    ],
  ],
  [
    4,
    [
      [4, 1],
      [2, 2],
    ],
  ],
  [
    6,
    [
      [3, 2],
      [1, 4],
    ],
  ],
  [
    8,
    [
      [4, 2],
      [2, 4],
    ],
  ],
];

for (const [cores, ways] of CORES) {
  test(`${cores} cores have ${ways.length} candidate thread counts`, () => {
    const candidates = candidateThreadCounts(cores, 4).map(({ workers, threads }) => [workers, threads]);
    assert.deepEqual(candidates, ways);
  });
}

test('no candidate exceeds the number of cores or the maximum number of workers', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 256 }), fc.integer({ min: 1, max: 16 }), (cores, workersMax) => {
      const candidates = candidateThreadCounts(cores, workersMax);
      assert.ok(candidates.length > 0);
      for (const { workers, threads } of candidates) {
        assert.ok(workers >= 1 && workers <= workersMax && workers * threads <= cores);
      }
    }),
  );
});

const WIDE: MeasuredThreadChoice = { workers: 2, threads: 1, firstAudioSeconds: 0.1, realTimeFactor: 0.05 };

test('the allocation with the highest throughput is selected', () => {
  const narrow = { workers: 1, threads: 2, firstAudioSeconds: 0.06, realTimeFactor: 0.03 };
  assert.equal(selectThreadCount([WIDE, narrow]), WIDE);
});

test('an allocation with nearly the same throughput and much earlier first audio is preferred', () => {
  const early = { workers: 1, threads: 2, firstAudioSeconds: 0.06, realTimeFactor: 0.027 };
  assert.equal(selectThreadCount([WIDE, early]), early);
  const hardlyEarlier = { ...early, firstAudioSeconds: 0.09 };
  assert.equal(selectThreadCount([WIDE, hardlyEarlier]), WIDE);
});
