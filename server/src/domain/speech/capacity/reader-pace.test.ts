import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReaderPace } from './reader-pace.ts';

const SLOW = { code: 'slow_reader' };

/** Reads chunks of one second, each within `waitSeconds`. Returns the seconds until the reader is refused. */
function read(pace: ReaderPace, waitSeconds: number, seconds: number, startSeconds = 0): number {
  let nowMs = startSeconds * 1000;
  for (let second = 0; second < seconds; second++) {
    pace.offer(1, nowMs);
    nowMs += waitSeconds * 1000;
    pace.accept(nowMs);
  }
  return nowMs / 1000;
}

test('a reader at real time or above is never slow', () => {
  const pace = new ReaderPace({ slowAfterMs: 10_000 });
  read(pace, 1, 10_000);
  read(new ReaderPace({ slowAfterMs: 10_000 }), 0, 10_000);
});

test('a reader at a third of real time is not far below it', () => {
  read(new ReaderPace({ slowAfterMs: 10_000 }), 3, 1000);
});

test('a reader below a quarter of real time is refused after the time limit, not before', () => {
  const pace = new ReaderPace({ slowAfterMs: 60_000 });
  let nowMs = 0;
  assert.throws(() => {
    for (;;) {
      pace.offer(1, nowMs);
      nowMs += 10_000;
      pace.accept(nowMs);
    }
  }, SLOW);
  // The first wait shows only that the reader has fallen behind.
  assert.equal(nowMs, 70_000);
});

test('a steady reader above a quarter of real time is not refused when the send buffer empties in large steps', () => {
  const pace = new ReaderPace({ slowAfterMs: 120_000 });
  let nowMs = 0;
  // Every 90 s there is room for 27 s of audio, which the buffer takes at once.
  for (let step = 0; step < 20; step++) {
    for (let second = 0; second < 27; second++) {
      pace.offer(1, nowMs);
      if (second === 26) nowMs += 90_000;
      pace.accept(nowMs);
    }
  }
});

test('audio that was read in advance counts: a reader with a full buffer may pause', () => {
  const pace = new ReaderPace({ slowAfterMs: 10_000 });
  read(pace, 0, 100);
  pace.offer(1, 0);
  pace.accept(99_000);
});

test('a fast reader that becomes slow later is refused as well', () => {
  const pace = new ReaderPace({ slowAfterMs: 10_000 });
  const endSeconds = read(pace, 1.5, 1000);
  assert.throws(() => read(pace, 8, 100, endSeconds), SLOW);
});

test('time that the synthesis takes is not time of the reader', () => {
  const pace = new ReaderPace({ slowAfterMs: 10_000 });
  for (let second = 0; second < 100; second++) {
    pace.offer(1, second * 20_000);
    pace.accept(second * 20_000 + 10);
  }
});

test('without a time limit no reader is refused', () => {
  read(new ReaderPace({ slowAfterMs: 0 }), 100, 100);
});
