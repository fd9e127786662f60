import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Espeak } from './espeak.ts';

test('phonemes are grouped as by espeak-ng, with stress marks on the vowels', async () => {
  const espeak = await Espeak.load();
  assert.deepEqual(espeak.phonemes('of the chair', 'en-us'), [
    ['ʌ', 'v', 'ð', 'ə'],
    ['tʃ', 'ˈɛɹ'],
  ]);
  assert.deepEqual(espeak.phonemes('[[h@l]] <b> | _', 'en-us'), espeak.phonemes('h l b', 'en-us'));
  assert.deepEqual(espeak.phonemes('\ud800 \u0000 !?', 'en-us'), []);
});

test('the voice can change between calls, and an unknown voice throws', async () => {
  const espeak = await Espeak.load();
  assert.equal(espeak.phonemes('chat', 'fr').flat().join(''), 'ʃˈa');
  assert.equal(espeak.phonemes('chat', 'en-us').flat().join(''), 'tʃˈæt');
  assert.throws(() => espeak.phonemes('chat', 'klingonese'), /no voice/);
});

test('thousands of words do not leak memory', async () => {
  const espeak = await Espeak.load();
  const heap = () => process.memoryUsage().arrayBuffers;
  for (let index = 0; index < 500; index++) espeak.phonemes(`warm${index}`, 'en-us');
  const before = heap();
  for (let index = 0; index < 2000; index++) espeak.phonemes(`word${index}`, 'en-us');
  assert.ok(heap() - before < 2_000_000);
});

test('the dictionaries of several languages are found', async () => {
  const espeak = await Espeak.load();
  const irregular: Record<string, readonly [text: string, phonemes: string]> = {
    'en-us': ['colonel', 'kˈɜːnəl'],
    ru: ['его', 'jɪvˈo'],
    da: ['øl', 'ˈʔœl'],
  };
  for (const [voice, [text, phonemes]] of Object.entries(irregular)) {
    assert.equal(espeak.phonemes(text, voice).flat().join(''), phonemes, voice);
  }
});
