import assert from 'node:assert/strict';
import { test } from 'node:test';
import { voiceOfScript } from './foreign-scripts.ts';

test('a word of another script is read by a voice that knows it; Latin words are not', () => {
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
  for (const [word, voice] of cases) assert.equal(voiceOfScript(word), voice, word);
});
