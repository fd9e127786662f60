import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MeasuredSpeechPart } from '../../../domain/speech/speech-workers.ts';
import { AttemptJoiner } from './attempt-joiner.ts';

const RATE_HZ = 24_000;

/** The parts of one attempt: a sine, divided at `lengths`. */
function parts(lengths: readonly number[], offset = 0): MeasuredSpeechPart[] {
  let position = 0;
  return lengths.map((length) => {
    const samples = Float32Array.from({ length }, () => Math.sin(position++ / 20) + offset);
    return { samples, sampleRateHz: RATE_HZ };
  });
}

function flatten(delivered: readonly (MeasuredSpeechPart | undefined)[]): number[] {
  return delivered.flatMap((part) => (part === undefined ? [] : [...part.samples]));
}

test('an utterance of one attempt is delivered unchanged', () => {
  const joiner = new AttemptJoiner();
  const input = parts([1000, 10, 2000, 1]);
  const output = [...input.map((part) => joiner.add(part)), joiner.end()];
  assert.deepEqual(flatten(output), flatten(input));
});

test('attempts with equal samples join exactly, wherever the earlier ones stopped and however windows are divided', () => {
  const whole = flatten(parts([5000]));
  const divisions = [
    [5000],
    [1000, 1000, 1000, 1000, 1000],
    [37, 4963],
    [4900, 100],
    [2500, 2500],
    [60, 60, 4880],
  ];
  for (const first of divisions) {
    for (const second of divisions) {
      for (let stop = 0; stop <= first.length; stop++) {
        const joiner = new AttemptJoiner();
        const output = parts(first)
          .slice(0, stop)
          .map((part) => joiner.add(part));
        joiner.restart();
        output.push(...parts([40]).map((part) => joiner.add(part)));
        joiner.restart();
        output.push(...parts(second).map((part) => joiner.add(part)), joiner.end());
        assert.deepEqual(flatten(output), whole);
      }
    }
  }
});

test('attempts that differ are crossfaded: the length is right and there is no jump', () => {
  const joiner = new AttemptJoiner();
  const [first] = parts([3000]);
  const output = [joiner.add(first!)];
  joiner.restart();
  output.push(...parts([2000, 4000], 0.2).map((part) => joiner.add(part)), joiner.end());
  const samples = flatten(output);
  assert.equal(samples.length, 6000);
  const largestStep = Math.max(...samples.slice(1).map((value, index) => Math.abs(value - samples[index]!)));
  assert.ok(largestStep < 0.06, `step of ${largestStep}`);
  assert.ok(Math.abs(samples[5999]! - (Math.sin(5999 / 20) + 0.2)) < 1e-6);
});

test('an attempt that ends before the joint leaves what was held back', () => {
  const joiner = new AttemptJoiner();
  const [first] = parts([3000]);
  const output = [joiner.add(first!)];
  joiner.restart();
  output.push(...parts([100]).map((part) => joiner.add(part)), joiner.end());
  assert.deepEqual(flatten(output), flatten([first!]));
});

test('each word time is delivered once', () => {
  const joiner = new AttemptJoiner();
  const word = (wordIndex: number) => ({ wordIndex, startSeconds: wordIndex, endSeconds: wordIndex + 1 });
  const attempt = () => {
    const [a, b] = parts([2000, 2000]);
    return [
      { ...a!, wordTimes: [word(0), word(1)] },
      { ...b!, wordTimes: [word(2)] },
    ];
  };
  const [first] = attempt();
  const output = [joiner.add(first!)];
  joiner.restart();
  output.push(...attempt().map((part) => joiner.add(part)), joiner.end());
  const words = output.flatMap((part) => part?.wordTimes ?? []);
  assert.deepEqual(
    words.map(({ wordIndex }) => wordIndex),
    [0, 1, 2],
  );
});
