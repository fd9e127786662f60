import assert from 'node:assert/strict';
import { test } from 'node:test';
import { convertCmuStyle } from './cmu-style.ts';

test("a CMU pronunciation is converted to the style of Kokoro's training text", () => {
  const cases: readonly [string, string][] = [
    ['ʧˈɑpɜɹ', 'ʧˈɑpəɹ'],
    ['wˈɔtɜɹ', 'wˈɔTəɹ'],
    ['bɪfˈɔɹ', 'bəfˈɔɹ'],
    ['dɪzˈIn', 'dəzˈIn'],
    ['nˈɪɹ', 'nˈɪɹ'],
    ['hˈiɹ', 'hˈɪɹ'],
    ['kˈæɹət', 'kˈɛɹət'],
    ['skwˈIɹ', 'skwˈIəɹ'],
    ['ʃˈʌtsɪz', 'ʃˈʌtsᵻz'],
    ['ˈɛnʤənˈɪɹ', 'ˌɛnʤənˈɪɹ'],
    ['ɡɹˈændsˌən', 'ɡɹˈændsˌʌn'],
    ['hˈændəl', 'hˈændᵊl'],
    ['mˈɑɹtən', 'mˈɑɹtᵊn'],
  ];
  for (const [cmu, kokoro] of cases) assert.equal(convertCmuStyle(cmu), kokoro, cmu);
});
