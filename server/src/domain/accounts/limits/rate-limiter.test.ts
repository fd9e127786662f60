import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RateLimiter } from './rate-limiter.ts';

test('a key may send a burst up to its limit, then requests at the refill rate', () => {
  const clock = { nowMs: 1_000_000 };
  const rates = new RateLimiter(() => clock.nowMs);
  const taken = Array.from({ length: 4 }, () => rates.countRequest('key', 3));
  assert.deepEqual(
    taken.map(({ isAllowed, remaining }) => [isAllowed, remaining]),
    [
      [true, 2],
      [true, 1],
      [true, 0],
      [false, 0],
    ],
  );
  assert.equal(taken[3]?.resetSeconds, 20);
  assert.ok(rates.countRequest('other', 3).isAllowed);
  clock.nowMs += 20_000;
  assert.ok(rates.countRequest('key', 3).isAllowed);
  assert.ok(!rates.countRequest('key', 3).isAllowed);
});

test('no minute contains more than twice the limit, for any distribution of requests', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.array(fc.nat(5000), { maxLength: 300 }),
      (limit, pauses) => {
        const clock = { nowMs: 0 };
        const rates = new RateLimiter(() => clock.nowMs);
        const allowedAtMs = pauses.flatMap((pauseMs) => {
          clock.nowMs += pauseMs;
          return rates.countRequest('key', limit).isAllowed ? [clock.nowMs] : [];
        });
        for (const fromMs of allowedAtMs) {
          const inMinute = allowedAtMs.filter((atMs) => atMs >= fromMs && atMs < fromMs + 60_000).length;
          assert.ok(inMinute <= 2 * limit);
        }
      },
    ),
  );
});
