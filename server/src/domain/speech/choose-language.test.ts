import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Script } from '../../text/normalise/script.ts';
import type { Language } from '../../text/piece.ts';
import { listKokoroVoices } from '../voices/catalogue/kokoro-voices.ts';
import { chooseLanguage } from './choose-language.ts';

function choose(own: Language, script: Script | undefined, requested?: Language): Language {
  return chooseLanguage(script, { voice: { ...listKokoroVoices()[0]!, language: own }, requested });
}

test('the language is the requested one, else that of the voice, else that of the script', () => {
  assert.equal(choose('fr', 'Latin'), 'fr');
  assert.equal(choose('fr', 'Latin', 'es'), 'es');
  assert.equal(choose('en-US', undefined), 'en-US');
  assert.equal(choose('en-US', 'Han'), 'zh');
  assert.equal(choose('ja', 'Han'), 'ja');
  assert.equal(choose('en-US', 'Kana'), 'ja');
  assert.equal(choose('en-US', 'Devanagari'), 'hi');
});

test('a script without a language is refused, unless the language of the voice is undetermined', () => {
  assert.throws(() => choose('en-US', 'Cyrillic'), { code: 'language_not_supported' });
  assert.equal(choose('und', 'Cyrillic'), 'und');
});
