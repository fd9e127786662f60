import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bestShare, type MeasuredShare, waysToShare } from './thread-choice.ts';

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
  test(`${cores} cores are shared out in ${ways.length} ways`, () => {
    const shares = waysToShare(cores, 4).map(({ workers, threads }) => [workers, threads]);
    assert.deepEqual(shares, ways);
  });
}

test('no way to share asks for more cores or workers than there are', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 256 }), fc.integer({ min: 1, max: 16 }), (cores, workersMax) => {
      const ways = waysToShare(cores, workersMax);
      assert.ok(ways.length > 0);
      for (const { workers, threads } of ways) {
        assert.ok(workers >= 1 && workers <= workersMax && workers * threads <= cores);
      }
    }),
  );
});

const WIDE: MeasuredShare = { workers: 2, threads: 1, firstAudioSeconds: 0.1, realTimeFactor: 0.05 };

test('the share that serves the most listeners is taken', () => {
  const narrow = { workers: 1, threads: 2, firstAudioSeconds: 0.06, realTimeFactor: 0.03 };
  assert.equal(bestShare([WIDE, narrow]), WIDE);
});

test('one that serves nearly as many and sounds much earlier is preferred', () => {
  const early = { workers: 1, threads: 2, firstAudioSeconds: 0.06, realTimeFactor: 0.027 };
  assert.equal(bestShare([WIDE, early]), early);
  const hardlyEarlier = { ...early, firstAudioSeconds: 0.09 };
  assert.equal(bestShare([WIDE, hardlyEarlier]), WIDE);
});
