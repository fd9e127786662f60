import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { noise } from '../../../../test/support/audio/signals.ts';
import { synthesizeForAsr } from '../../../../test/support/audio/synthesized-audio.ts';
import { openTranscriptionHost } from '../../../../test/support/workers/engine-context.ts';
import { ASR_SAMPLE_RATE_HZ, type AsrEngine } from '../../../domain/engines/asr-engine.ts';
import type { Language } from '../../../text/piece.ts';
import { findAsrEngine } from '../asr-registry.ts';

const TEXT = 'The little boat came home at last, and nobody on the shore had seen it leave.';
const { signal } = new AbortController();
let engine: AsrEngine;
before(async () => {
  engine = await openTranscriptionHost().engine('whisper-base');
});
after(() => engine.close());

const lettersOf = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\s]/gu, '');

test('synthesized speech is transcribed without errors, with word times within 0.12 s (median)', async () => {
  const reference = await synthesizeForAsr(TEXT);
  const result = await engine.transcribe(reference.samples, { signal, wordTimes: true });
  assert.equal(lettersOf(result.text), lettersOf(TEXT));
  assert.equal(result.language, 'en');
  assert.ok(result.confidence > 0.7 && result.confidence <= 1, `${result.confidence}`);
  assert.ok(result.noSpeech !== undefined && result.noSpeech < 0.5);
  assert.equal(result.words.length, reference.words.length);
  const errors = result.words.flatMap((word, index) => [
    Math.abs(word.startSeconds - reference.words[index]!.startSeconds),
    Math.abs(word.endSeconds - reference.words[index]!.endSeconds),
  ]);
  const median = errors.sort((a, b) => a - b)[errors.length >> 1]!;
  assert.ok(median <= 0.12, `median error of word times ${median} s`);
});

const SENTENCES: readonly { language: Language; code: string; voice: string; text: string }[] = [
  {
    language: 'es',
    code: 'es',
    voice: 'ef_dora',
    text: 'Mañana por la mañana vamos a la playa con mis hermanos.',
  },
  {
    language: 'fr',
    code: 'fr',
    voice: 'ff_siwis',
    text: 'Le petit chat dort sur la chaise devant la fenêtre.',
  },
  {
    language: 'it',
    code: 'it',
    voice: 'if_sara',
    text: 'Domani mattina andiamo al mare con tutta la famiglia.',
  },
];
for (const { language, code, voice, text } of SENTENCES) {
  test(`the language ${code} is detected and transcribed`, async () => {
    const { samples } = await synthesizeForAsr(text, { language, voice });
    const [best] = await engine.detectLanguage(samples, signal);
    assert.equal(best?.language, code);
    const result = await engine.transcribe(samples, { signal });
    assert.equal(result.language, code);
    const expected = lettersOf(text).split(/\s+/);
    const found = new Set(lettersOf(result.text).split(/\s+/));
    const right = expected.filter((word) => found.has(word)).length;
    assert.ok(right / expected.length > 0.7, result.text);
  });
}

test('hotwords and a prompt determine the spelling of a name', async () => {
  const { samples } = await synthesizeForAsr('The package from Zyntrex arrived at the office this morning.');
  const options = { signal, language: 'en' };
  assert.ok(!(await engine.transcribe(samples, options)).text.includes('Zyntrex'));
  const result = await engine.transcribe(samples, { ...options, hotwords: ['Zyntrex'] });
  assert.equal(result.text, 'The package from Zyntrex arrived at the office this morning.');
  const prompted = await engine.transcribe(samples, { ...options, prompt: 'This is about Zyntrex.' });
  assert.ok(prompted.text.includes('Zyntrex'), prompted.text);
});

test('silence and noise give no text, or low confidence', async () => {
  for (const samples of [
    new Float32Array(0),
    new Float32Array(5 * ASR_SAMPLE_RATE_HZ),
    noise(5 * ASR_SAMPLE_RATE_HZ, 0.2),
  ]) {
    const result = await engine.transcribe(samples, { signal, language: 'en', wordTimes: true });
    assert.ok(
      result.text === '' || result.noSpeech! > 0.3 || result.confidence < 0.5,
      JSON.stringify(result),
    );
  }
});

test('audio above the maximum length and an unknown language are rejected', async () => {
  const samples = new Float32Array((engine.maxSeconds + 1) * ASR_SAMPLE_RATE_HZ);
  await assert.rejects(engine.transcribe(samples, { signal }), RangeError);
  const second = samples.subarray(0, ASR_SAMPLE_RATE_HZ);
  await assert.rejects(engine.transcribe(second, { signal, language: 'xx' }), RangeError);
});

test('the registry lists the languages of the model', () => {
  assert.deepEqual(new Set(findAsrEngine('whisper-base').languages), new Set(engine.languages));
});
