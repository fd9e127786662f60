import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { alignWords } from './word-alignment.ts';

const split = (text: string) => text.split(' ');

test('joined words are aligned', () => {
  const cases: readonly [string[], string, number[]][] = [
    [['ʌ v', 'ð ə'], 'ʌ v ð ə', [0, 0, 1, 1]],
    [['ˈaɪ', 'ˈæ m'], 'aɪ ɐ m', [0, 1, 1]],
    // A liaison belongs to the preceding word.
    [['l e', 'a m ˈi'], 'l e z a m ˈi', [0, 0, 0, 1, 1, 1]],
    [['w ˈʊ d', 'h ˈæ v'], 'w ʊ d h ɐ v', [0, 0, 0, 1, 1, 1]],
  ];
  for (const [expected, actual, words] of cases) {
    assert.deepEqual(alignWords(expected.map(split), split(actual)), words);
  }
});

test('every phoneme gets a word, and word indices ascend', () => {
  const phoneme = fc.constantFrom('a', 'ˈe', 'i', 't', 'k', 's', 'ɹ');
  const word = fc.array(phoneme, { maxLength: 5 });
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 6 }),
      fc.array(phoneme, { maxLength: 20 }),
      (expected, actual) => {
        const words = alignWords(expected, actual);
        assert.equal(words.length, actual.length);
        for (const [index, value] of words.entries()) {
          assert.ok(value >= 0 && value < Math.max(1, expected.length));
          assert.ok(index === 0 || value >= words[index - 1]!);
        }
      },
    ),
  );
});
