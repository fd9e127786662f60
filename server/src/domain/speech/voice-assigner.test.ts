import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listKokoroVoices } from '../voices/catalogue/kokoro-voices.ts';
import { createVoiceCatalogue } from '../voices/catalogue/voice-catalogue.ts';
import type { Voice } from '../voices/voice.ts';
import { EngineSelector } from './engine-selector.ts';
import type { LanguageMismatch } from './language-mismatch.ts';
import { VoiceAssigner } from './voice-assigner.ts';

const SPANISH = 'Mi abuela plantó esas rosas hace cuarenta años.';
const GERMAN = 'Meine Großmutter hat diese Rosen vor vierzig Jahren gepflanzt.';
const voices = createVoiceCatalogue(listKokoroVoices());
const engines = new EngineSelector({ overrides: {}, bestKokoro: () => 'kokoro-fast' });

function createAssigner(
  request: { readonly voice?: Voice | undefined; readonly language?: 'en-US' } = {},
  languageMismatch: LanguageMismatch = 'speak',
): VoiceAssigner {
  return new VoiceAssigner({
    ...{ voices, engines, languageMismatch },
    defaultVoice: 'af_heart',
    request: { model: 's1', voice: request.voice, language: request.language },
  });
}

describe('a text in a language that the voice does not speak', () => {
  it('is spoken by a voice of its language if the request names no voice', () => {
    const assigner = createAssigner();
    const { voice, language } = assigner.assign(SPANISH, undefined);
    assert.deepEqual([voice.name, language, assigner.warnings], ['ef_dora', 'es', []]);
  });

  it('keeps a named voice and gives a warning', () => {
    const assigner = createAssigner({ voice: voices.resolve('af_heart') });
    const { voice, language } = assigner.assign(SPANISH, undefined);
    assert.deepEqual([voice.name, language, assigner.warnings.length], ['af_heart', 'en-US', 1]);
    assert.match(assigner.warnings[0]!, /^[ -~]+$/);
  });

  it('keeps the default voice with a warning if no voice speaks the language', () => {
    const assigner = createAssigner();
    assert.equal(assigner.assign(GERMAN, undefined).voice.name, 'af_heart');
    assert.equal(assigner.warnings.length, 1);
  });

  it('is refused if the setting says so', () => {
    const assigner = createAssigner({ voice: voices.resolve('af_heart') }, 'refuse');
    assert.throws(() => assigner.assign(SPANISH, undefined), { code: 'language_not_supported' });
  });

  it('is spoken as requested if the request names the language', () => {
    const assigner = createAssigner({ language: 'en-US' }, 'refuse');
    assert.equal(assigner.assign(SPANISH, undefined).language, 'en-US');
    assert.deepEqual(assigner.warnings, []);
  });
});

it('a text in the language of the voice gives no warning', () => {
  const assigner = createAssigner({ voice: voices.resolve('ef_dora') }, 'refuse');
  assert.equal(assigner.assign(SPANISH, undefined).language, 'es');
  const english = createAssigner({}, 'refuse');
  assert.equal(english.assign('My grandmother planted those roses.', undefined).voice.name, 'af_heart');
});
