import assert from 'node:assert/strict';
import { test } from 'node:test';
import { restyleCmu } from './cmu-style.ts';

test('a pronunciation of the CMU dictionary comes out as Kokoro was taught to read it', () => {
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
  for (const [cmu, kokoro] of cases) assert.equal(restyleCmu(cmu), kokoro, cmu);
});
