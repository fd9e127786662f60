import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { synthesizeForAsr } from '../../../../test/support/audio/synthesized-audio.ts';
import { openTranscriptionHost } from '../../../../test/support/workers/engine-context.ts';
import { ASR_SAMPLE_RATE_HZ, type AsrEngine } from '../../../domain/engines/asr-engine.ts';

const TEXT = 'The little boat came home at last, and nobody on the shore had seen it leave.';
const { signal } = new AbortController();
let engine: AsrEngine;
before(async () => {
  engine = await openTranscriptionHost().engine('moonshine-base');
});
after(() => engine.close());

test('synthesized speech is transcribed without errors, with word times within 0.12 s (median)', async () => {
  const reference = await synthesizeForAsr(TEXT);
  const result = await engine.transcribe(reference.samples, { signal, wordTimes: true });
  assert.equal(result.text, TEXT);
  assert.equal(result.language, 'en');
  assert.ok(result.confidence > 0.7 && result.confidence <= 1, `${result.confidence}`);
  assert.equal(result.isTruncated, false);
  assert.deepEqual(
    result.words.map((word) => word.text),
    TEXT.split(' '),
  );
  const errors = result.words.flatMap((word, index) => [
    Math.abs(word.startSeconds - reference.words[index]!.startSeconds),
    Math.abs(word.endSeconds - reference.words[index]!.endSeconds),
  ]);
  const median = errors.sort((a, b) => a - b)[errors.length >> 1]!;
  assert.ok(median <= 0.12, `median error of word times ${median} s`);
});

test('the text is the same without word times', async () => {
  const { samples } = await synthesizeForAsr(TEXT);
  const result = await engine.transcribe(samples, { signal });
  assert.equal(result.text, TEXT);
  assert.deepEqual(result.words, []);
});

test('a click, empty audio and silence give few words', async () => {
  const click = new Float32Array(ASR_SAMPLE_RATE_HZ / 2);
  click[4000] = 1;
  for (const samples of [new Float32Array(0), click, new Float32Array(5 * ASR_SAMPLE_RATE_HZ)]) {
    const result = await engine.transcribe(samples, { signal, wordTimes: true });
    assert.ok(result.words.length < 8, result.text);
  }
});

test('audio above the maximum length is rejected', async () => {
  const samples = new Float32Array((engine.maxSeconds + 1) * ASR_SAMPLE_RATE_HZ);
  await assert.rejects(engine.transcribe(samples, { signal }), RangeError);
});

test('an abort stops the decoder between two tokens', async () => {
  const { samples } = await synthesizeForAsr(TEXT);
  const controller = new AbortController();
  const result = engine.transcribe(samples, { signal: controller.signal });
  setImmediate(() => controller.abort());
  await assert.rejects(result, { name: 'AbortError' });
});

test('a sentence that is spoken four times is transcribed four times', async () => {
  const { samples } = await synthesizeForAsr(TEXT);
  const four = new Float32Array(4 * samples.length);
  for (let index = 0; index < 4; index++) four.set(samples, index * samples.length);
  const result = await engine.transcribe(four, { signal, wordTimes: true });
  assert.equal(result.text.match(/little boat/g)?.length, 4, result.text);
  assert.equal(result.isTruncated, false);
});

test('the beginning of an earlier result is kept, and the end is decoded from the new audio', async () => {
  const { samples } = await synthesizeForAsr(TEXT);
  let stepCount = 0;
  const runStep = <T>(step: () => Promise<T>): Promise<T> => {
    stepCount += 1;
    return step();
  };
  const part = samples.subarray(0, Math.round(0.7 * samples.length));
  const { decoded } = await engine.transcribe(part, { signal });
  await engine.transcribe(samples, { signal, runStep });
  const allSteps = stepCount;
  stepCount = 0;
  const { text } = await engine.transcribe(samples, { signal, runStep, earlier: decoded });
  assert.equal(text, TEXT);
  assert.ok(stepCount < allSteps, `${stepCount} steps instead of ${allSteps}`);
  stepCount = 0;
  const final = await engine.transcribe(samples, { signal, runStep, wordTimes: true, earlier: decoded });
  assert.equal(final.text, TEXT);
  assert.equal(final.words.length, TEXT.split(' ').length);
  assert.ok(stepCount < allSteps, `${stepCount} steps instead of ${allSteps}`);
});
