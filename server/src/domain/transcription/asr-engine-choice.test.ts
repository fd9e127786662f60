import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ASR_ENGINES } from '../../inference/engines/asr-registry.ts';
import { enginesFor } from './asr-engine-choice.ts';
import { TRANSCRIPTION_MODELS } from './transcription-service.ts';

test('every model has registered engines for every language', () => {
  for (const model of TRANSCRIPTION_MODELS) {
    for (const language of [undefined, 'en', 'fr', 'ja']) {
      const engines = enginesFor(model, language);
      assert.ok(engines.length > 0);
      for (const name of engines) {
        const engine = ASR_ENGINES.find((candidate) => candidate.name === name);
        assert.ok(engine, name);
        assert.ok(language === undefined || engine.languages.includes(language));
      }
    }
  }
});

test('a known language needs one engine, an unknown language may need several', () => {
  assert.deepEqual(enginesFor('transcribe-1', 'en'), ['moonshine-base']);
  assert.deepEqual(enginesFor('transcribe-1', 'fr'), ['whisper-small']);
  assert.deepEqual(enginesFor('transcribe-1', undefined), ['moonshine-base', 'whisper-small']);
});
