import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { noise } from '../../../../test/support/audio/signals.ts';
import { openTranscriptionHost } from '../../../../test/support/engine-context.ts';
import { synthesizeForAsr } from '../../../../test/support/synthesized-audio.ts';
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

test('it hears what our own voices say, word by word and in time', async () => {
  const spoken = await synthesizeForAsr(TEXT);
  const heard = await engine.transcribe(spoken.samples, { signal, wordTimes: true });
  assert.equal(lettersOf(heard.text), lettersOf(TEXT));
  assert.equal(heard.language, 'en');
  assert.ok(heard.confidence > 0.7 && heard.confidence <= 1, `${heard.confidence}`);
  assert.ok(heard.noSpeech !== undefined && heard.noSpeech < 0.5);
  assert.equal(heard.words.length, spoken.words.length);
  const errors = heard.words.flatMap((word, index) => [
    Math.abs(word.startSeconds - spoken.words[index]!.startSeconds),
    Math.abs(word.endSeconds - spoken.words[index]!.endSeconds),
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
  test(`it finds out by itself that somebody speaks ${code}, and writes it down`, async () => {
    const { samples } = await synthesizeForAsr(text, { language, voice });
    const [best] = await engine.detectLanguage(samples, signal);
    assert.equal(best?.language, code);
    const heard = await engine.transcribe(samples, { signal });
    assert.equal(heard.language, code);
    const expected = lettersOf(text).split(/\s+/);
    const found = new Set(lettersOf(heard.text).split(/\s+/));
    const right = expected.filter((word) => found.has(word)).length;
    assert.ok(right / expected.length > 0.7, heard.text);
  });
}

test('a hint decides how a name is written', async () => {
  const { samples } = await synthesizeForAsr('The package from Zyntrex arrived at the office this morning.');
  const options = { signal, language: 'en' };
  assert.ok(!(await engine.transcribe(samples, options)).text.includes('Zyntrex'));
  const heard = await engine.transcribe(samples, { ...options, hotwords: ['Zyntrex'] });
  assert.equal(heard.text, 'The package from Zyntrex arrived at the office this morning.');
  const prompted = await engine.transcribe(samples, { ...options, prompt: 'This is about Zyntrex.' });
  assert.ok(prompted.text.includes('Zyntrex'), prompted.text);
});

test('silence and noise are known as such, and end', async () => {
  for (const samples of [
    new Float32Array(0),
    new Float32Array(5 * ASR_SAMPLE_RATE_HZ),
    noise(5 * ASR_SAMPLE_RATE_HZ, 0.2),
  ]) {
    const heard = await engine.transcribe(samples, { signal, language: 'en', wordTimes: true });
    assert.ok(heard.text === '' || heard.noSpeech! > 0.3 || heard.confidence < 0.5, JSON.stringify(heard));
  }
});

test('what it cannot take is refused', async () => {
  const samples = new Float32Array((engine.maxSeconds + 1) * ASR_SAMPLE_RATE_HZ);
  await assert.rejects(engine.transcribe(samples, { signal }), RangeError);
  const second = samples.subarray(0, ASR_SAMPLE_RATE_HZ);
  await assert.rejects(engine.transcribe(second, { signal, language: 'xx' }), RangeError);
});

test('the registry knows its languages before it is loaded', () => {
  assert.deepEqual(new Set(findAsrEngine('whisper-base').languages), new Set(engine.languages));
});
