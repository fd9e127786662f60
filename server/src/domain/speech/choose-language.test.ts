import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Script } from '../../text/normalise/script.ts';
import type { Language } from '../../text/piece.ts';
import { kokoroVoices } from '../voices/catalogue/kokoro-voices.ts';
import { chooseLanguage } from './choose-language.ts';

function choose(own: Language, script: Script | undefined, requested?: Language): Language {
  return chooseLanguage(script, { voice: { ...kokoroVoices()[0]!, language: own }, requested });
}

test('a text is read in the language asked for, else the voice’s own, else that of its script', () => {
  assert.equal(choose('fr', 'Latin'), 'fr');
  assert.equal(choose('fr', 'Latin', 'es'), 'es');
  assert.equal(choose('en-US', undefined), 'en-US');
  assert.equal(choose('en-US', 'Han'), 'zh');
  assert.equal(choose('ja', 'Han'), 'ja');
  assert.equal(choose('en-US', 'Kana'), 'ja');
  assert.equal(choose('en-US', 'Devanagari'), 'hi');
});

test('a script that no voice can read is refused, but a voice of its own language reads its own script', () => {
  assert.throws(() => choose('en-US', 'Cyrillic'), { code: 'language_not_supported' });
  assert.equal(choose('und', 'Cyrillic'), 'und');
});
