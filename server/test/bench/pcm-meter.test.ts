import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PcmMeter } from '../../bench/clients/pcm-meter.ts';
import { longTextFor, TEXTS } from '../../bench/texts.ts';

function bytesOf(...samples: number[]): Uint8Array {
  return new Uint8Array(Int16Array.from(samples).buffer);
}

test('samples are audible above -50 dBFS, of either sign', () => {
  for (const [samples, isAudible] of [
    [[0, 0, 0], false],
    [[103, -103], false],
    [[0, 105], true],
    [[0, -105], true],
  ] as const) {
    const meter = new PcmMeter();
    meter.add(bytesOf(...samples));
    assert.equal(meter.isAudible, isAudible, `${samples}`);
  }
});

test('samples are metered across chunk boundaries', () => {
  const bytes = bytesOf(1, 2, 20_000, 3);
  for (let cut = 0; cut <= bytes.length; cut++) {
    const meter = new PcmMeter();
    meter.add(bytes.subarray(0, cut));
    assert.equal(meter.samples, Math.floor(cut / 2));
    meter.add(bytes.subarray(cut));
    assert.equal(meter.samples, 4);
    assert.ok(meter.isAudible);
  }
});

test('the texts have their stated lengths', () => {
  for (const [length, text] of Object.entries(TEXTS)) assert.equal(text.length, Number(length));
});

test('listeners get different first sentences', () => {
  assert.equal(longTextFor(0), TEXTS[1500]);
  assert.notEqual(longTextFor(1), longTextFor(2));
  assert.equal(longTextFor(1).length, 1500);
});
