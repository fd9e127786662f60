import assert from 'node:assert/strict';
import { test } from 'node:test';
import { espeakVoiceForScript } from './foreign-scripts.ts';

test('a word in another script gets an espeak voice; Latin words get none', () => {
  const cases: readonly [string, string | undefined][] = [
    ['привет', 'ru'],
    ['北京', 'cmn'],
    ['東京タワー', 'ja'],
    ['서울', 'ko'],
    ['नमस्ते', 'hi'],
    ['naïve', undefined],
    ['x', undefined],
    ['', undefined],
  ];
  for (const [word, voice] of cases) assert.equal(espeakVoiceForScript(word), voice, word);
});
