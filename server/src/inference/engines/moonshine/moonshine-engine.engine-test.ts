import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openTranscriptionHost } from '../../../../test/support/engine-context.ts';
import { synthesizeForAsr } from '../../../../test/support/synthesized-audio.ts';
import { ASR_SAMPLE_RATE_HZ, type AsrEngine } from '../../../domain/engines/asr-engine.ts';

const TEXT = 'The little boat came home at last, and nobody on the shore had seen it leave.';
const { signal } = new AbortController();
let engine: AsrEngine;
before(async () => {
  engine = await openTranscriptionHost().engine('moonshine-base');
});
after(() => engine.close());

test('it hears what our own voices say, word by word and in time', async () => {
  const spoken = await synthesizeForAsr(TEXT);
  const heard = await engine.transcribe(spoken.samples, { signal, wordTimes: true });
  assert.equal(heard.text, TEXT);
  assert.equal(heard.language, 'en');
  assert.ok(heard.confidence > 0.7 && heard.confidence <= 1, `${heard.confidence}`);
  assert.equal(heard.isTruncated, false);
  assert.deepEqual(
    heard.words.map((word) => word.text),
    TEXT.split(' '),
  );
  const errors = heard.words.flatMap((word, index) => [
    Math.abs(word.startSeconds - spoken.words[index]!.startSeconds),
    Math.abs(word.endSeconds - spoken.words[index]!.endSeconds),
  ]);
  const median = errors.sort((a, b) => a - b)[errors.length >> 1]!;
  assert.ok(median <= 0.12, `median error of word times ${median} s`);
});

test('without the wish for word times there are none, and the text is the same', async () => {
  const { samples } = await synthesizeForAsr(TEXT);
  const heard = await engine.transcribe(samples, { signal });
  assert.equal(heard.text, TEXT);
  assert.deepEqual(heard.words, []);
});

test('a click, an empty stretch and silence end at once', async () => {
  const click = new Float32Array(ASR_SAMPLE_RATE_HZ / 2);
  click[4000] = 1;
  for (const samples of [new Float32Array(0), click, new Float32Array(5 * ASR_SAMPLE_RATE_HZ)]) {
    const heard = await engine.transcribe(samples, { signal, wordTimes: true });
    assert.ok(heard.words.length < 8, heard.text);
  }
});

test('more than it can take is refused', async () => {
  const samples = new Float32Array((engine.maxSeconds + 1) * ASR_SAMPLE_RATE_HZ);
  await assert.rejects(engine.transcribe(samples, { signal }), RangeError);
});

test('an abort stops it between two tokens', async () => {
  const { samples } = await synthesizeForAsr(TEXT);
  const controller = new AbortController();
  const heard = engine.transcribe(samples, { signal: controller.signal });
  setImmediate(() => controller.abort());
  await assert.rejects(heard, { name: 'AbortError' });
});
