import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ASR_SAMPLE_RATE_HZ, VAD_FRAME_SAMPLES } from '../../engines/asr-engine.ts';
import { type SegmentationRules, SegmentCutter, type SpeechSegment } from './segment-cutter.ts';

const FRAME = VAD_FRAME_SAMPLES / ASR_SAMPLE_RATE_HZ;
const RULES: SegmentationRules = {
  maxSeconds: 20,
  targetSeconds: 10,
  pauses: { early: 1.5, usual: 0.8, late: 0.3 },
};

/** Segments input given as `[seconds, speech probability]`. Every sample has the index of its frame as value. */
function cutAll(parts: readonly (readonly [number, number])[], rules = RULES): SpeechSegment[] {
  const cutter = new SegmentCutter(rules);
  const segments: SpeechSegment[] = [];
  let frame = 0;
  for (const [seconds, probability] of parts) {
    for (let i = 0; i < Math.round(seconds / FRAME); i++) {
      const samples = new Float32Array(VAD_FRAME_SAMPLES).fill(frame++);
      segments.push(...cutter.push(samples, Float32Array.of(probability)));
    }
  }
  const last = cutter.flush();
  return last === undefined ? segments : [...segments, last];
}

function spans(segments: readonly SpeechSegment[]): [number, number][] {
  return segments.map(({ startSeconds, samples }) => [
    round(startSeconds),
    round(startSeconds + samples.length / ASR_SAMPLE_RATE_HZ),
  ]);
}

const round = (seconds: number) => Math.round(seconds * 10) / 10;

test('silence is appended to a recording that ends directly after a word', () => {
  const [segment] = cutAll([
    [0.8, 0.02],
    [2, 0.95],
  ]);
  const quiet = segment!.samples.subarray(
    Math.round((segment!.lastSpeechSeconds - segment!.startSeconds) * ASR_SAMPLE_RATE_HZ),
  );
  assert.ok(
    quiet.length >= 0.19 * ASR_SAMPLE_RATE_HZ && quiet.every((sample) => sample === 0),
    `${quiet.length}`,
  );
  assert.deepEqual(
    spans(
      cutAll([
        [0.8, 0.02],
        [2, 0.95],
        [0.4, 0.02],
      ]),
    ),
    [[0.3, 3.2]],
  );
});

test('silence gives no segment', () => {
  assert.deepEqual(cutAll([[60, 0.02]]), []);
});

test('speech is split at pauses, with padding on both sides', () => {
  const segments = cutAll([
    [2, 0],
    [3, 0.9],
    [2, 0],
    [4, 0.9],
    [3, 0],
  ]);
  assert.deepEqual(spans(segments), [
    [1.5, 5.5],
    [6.5, 11.6],
  ]);
});

test('a short segment needs a longer pause to end than a long one', () => {
  assert.equal(
    cutAll([
      [0.6, 0.9],
      [1.2, 0],
      [0.6, 0.9],
      [3, 0],
    ]).length,
    1,
  );
  assert.equal(
    cutAll([
      [12, 0.9],
      [0.4, 0],
      [5, 0.9],
      [3, 0],
    ]).length,
    2,
  );
  assert.equal(
    cutAll([
      [5, 0.9],
      [0.4, 0],
      [5, 0.9],
      [3, 0],
    ]).length,
    1,
  );
});

test('a segment is likely to end after a part of the ending pause, and ends with the same speech', () => {
  const cutter = new SegmentCutter(RULES);
  const push = (seconds: number, probability: number) =>
    Array.from({ length: Math.round(seconds / FRAME) }, () =>
      cutter.push(new Float32Array(VAD_FRAME_SAMPLES), Float32Array.of(probability)),
    ).flat();
  push(3, 0.95);
  assert.equal(cutter.peekLikelyEnd(), undefined);
  push(0.3, 0.02);
  assert.equal(round(cutter.pauseSeconds), 0.3);
  assert.equal(cutter.peekLikelyEnd(), undefined);
  push(0.2, 0.02);
  const likely = cutter.peekLikelyEnd();
  const [segment] = push(0.5, 0.02);
  assert.equal(likely?.startSeconds, segment?.startSeconds);
  assert.equal(likely?.lastSpeechSeconds, segment?.lastSpeechSeconds);
  assert.equal(cutter.peekLikelyEnd(), undefined);
  assert.equal(cutter.pauseSeconds, 0);
});

test('an overlong segment is cut where speech is least likely', () => {
  const segments = cutAll([
    [13, 0.9],
    [0.16, 0.1],
    [12, 0.9],
    [2, 0],
  ]);
  assert.deepEqual(spans(segments), [
    [0, 13.1],
    [13.1, 25.5],
  ]);
  assert.equal(segments[0]?.ownToSeconds, Number.POSITIVE_INFINITY);
});

test('a cut within speech gives overlapping segments, each with its own range of words', () => {
  const [first, second] = cutAll([
    [18, 0.9],
    [0.2, 0.6],
    [12, 0.9],
    [2, 0],
  ]);
  assert.ok(first && second);
  const overlap = first.startSeconds + first.samples.length / ASR_SAMPLE_RATE_HZ - second.startSeconds;
  assert.equal(round(overlap), 1.2);
  assert.equal(first.ownToSeconds, second.ownFromSeconds);
  assert.ok(Math.abs(first.ownToSeconds - 18.1) < 0.1);
});

test('a click is not speech', () => {
  assert.equal(
    cutAll([
      [1, 0],
      [0.064, 0.9],
      [3, 0],
    ])[0]?.speechSeconds,
    0,
  );
});

test('for any input no speech is lost, samples match their times, and no segment is too long', () => {
  const part = fc.tuple(
    fc.double({ min: 0.05, max: 30, noNaN: true }),
    fc.constantFrom(0, 0.2, 0.4, 0.6, 0.95),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const segments = cutAll(parts);
      const covered = new Set<number>();
      for (const { samples, startSeconds } of segments) {
        assert.ok(samples.length / ASR_SAMPLE_RATE_HZ <= RULES.maxSeconds + FRAME);
        assert.equal(samples[0], Math.round(startSeconds / FRAME));
        for (let i = 0; i < samples.length; i += VAD_FRAME_SAMPLES) covered.add(samples[i]!);
      }
      let frame = 0;
      for (const [seconds, probability] of parts) {
        for (let i = 0; i < Math.round(seconds / FRAME); i++, frame++) {
          if (probability >= 0.5) assert.ok(covered.has(frame), `frame ${frame} was lost`);
        }
      }
    }),
    { numRuns: 50 },
  );
});
