import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModelProgress } from './model-progress.ts';
import { createProgressDisplay, formatBytes, formatSeconds } from './progress-display.ts';

function setUp(output: { isTTY?: boolean; columns?: number }) {
  let text = '';
  let clockMs = 0;
  const display = createProgressDisplay(
    {
      ...output,
      write: (more: string) => {
        text += more;
      },
    },
    () => clockMs,
  );
  return {
    display,
    text: () => text,
    /** Simulates a transfer of `rate` bytes per second with ten events per second. */
    transfer(totalBytes: number | undefined, rate: number, seconds: number) {
      for (let tick = 0; tick <= seconds * 10; tick++) {
        display.show(fetching((rate * tick) / 10, totalBytes));
        clockMs += 100;
      }
    },
  };
}

function fetching(doneBytes: number, totalBytes: number | undefined): ModelProgress {
  return { modelId: 'm', phase: 'fetching', source: 'npm', doneBytes, totalBytes };
}

test('a terminal gets one line with name, bar, percentage, size, rate and remaining time', () => {
  const { text, transfer, display } = setUp({ isTTY: true, columns: 80 });
  transfer(100e6, 10e6, 5);
  display.finish();
  const lines = text().trimEnd().split('\r');
  assert.equal(text().split('\n').length, 2);
  assert.equal(
    lines.at(-1),
    'm  ███████████████░░░░░░░░░░░░░░░   50 %  50.0 of 100.0 MB  10.0 MB/s  5 s left',
  );
});

test('the longest name of the catalogue leaves space for a bar in 80 columns', () => {
  const { text, display } = setUp({ isTTY: true, columns: 80 });
  display.show({ ...fetching(42.9e6, 100.6e6), modelId: 'piper-libritts-r-medium' });
  assert.match(text(), /█░/);
});

test('a narrow terminal gets a shorter line, never a wrapped one', () => {
  const { text, transfer } = setUp({ isTTY: true, columns: 40 });
  transfer(100e6, 10e6, 2);
  assert.ok(
    text()
      .split('\r')
      .every((line) => line.length <= 39),
  );
});

test('a shorter line overwrites a longer one completely', () => {
  const { display, text } = setUp({ isTTY: true });
  display.show(fetching(1e6, 100e6));
  display.show(fetching(100e6, 100e6));
  const [, first, second] = text().split('\r');
  assert.ok(second!.length >= first!.length);
});

test('without a terminal a slow transfer prints a line every five seconds', () => {
  const { text, transfer } = setUp({});
  transfer(1e9, 1e6, 20);
  assert.equal(text().trimEnd().split('\n').length, 5);
});

test('without a terminal a fast transfer prints a line every ten per cent, at most one per second', () => {
  const { text, transfer } = setUp({});
  transfer(100e6, 50e6, 2);
  assert.deepEqual(text().trimEnd().split('\n'), [
    'm from npm    0 %  0 B of 100.0 MB',
    'm from npm   50 %  50.0 of 100.0 MB  50.0 MB/s  1 s left',
    'm from npm  100 %  100.0 of 100.0 MB',
  ]);
});

test('without a known total there is no percentage and no remaining time', () => {
  const { text, transfer } = setUp({});
  transfer(undefined, 1e6, 5);
  assert.match(text(), /\nm from npm {2}5\.0 MB {2}1\.0 MB\/s\n$/);
});

test('waiting, a failed source and the end are printed as separate lines', () => {
  const { display, text } = setUp({ isTTY: true });
  display.show({ modelId: 'm', phase: 'waiting', holderPid: 7 });
  display.show(fetching(10, 100));
  display.show({ modelId: 'm', phase: 'source_failed', source: 'npm', reason: 'It is away.' });
  display.show({ modelId: 'm', phase: 'installed' });
  const lines = text().split('\n');
  assert.equal(lines[0], 'm  waiting for process 7, which is installing it');
  assert.equal(lines[2], 'm  npm failed: It is away.');
  assert.equal(lines[3], 'm  installed');
});

for (const [bytes, expected] of [
  [0, '0 B'],
  [999, '999 B'],
  [4119, '4.1 kB'],
  [999_999, '1.0 MB'],
  [92_361_116, '92.4 MB'],
  [1.5e12, '1.5 TB'],
] as const) {
  test(`${bytes} bytes are written as ${expected}`, () => assert.equal(formatBytes(bytes), expected));
}

for (const [seconds, expected] of [
  [0.2, '1 s'],
  [59, '59 s'],
  [185, '3 min 05 s'],
  [4325, '1 h 12 min'],
] as const) {
  test(`${seconds} seconds are written as ${expected}`, () => assert.equal(formatSeconds(seconds), expected));
}
