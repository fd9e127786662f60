import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PronunciationTable } from './pronunciation-table.ts';

function tableOf(lines: readonly string[]): PronunciationTable {
  return new PronunciationTable(Buffer.from(lines.map((line) => `${line}\n`).join('')));
}

test('a word is found with all its fields, and the lookup is case-sensitive', () => {
  const table = tableOf(['; a comment', 'Polish\tpˈOlɪʃ', 'bow\tbˈO\tVERB=bˈW', 'polish\tpˈɑlɪʃ']);
  assert.deepEqual(table.find('bow'), ['bˈO', 'VERB=bˈW']);
  assert.deepEqual(table.find('Polish'), ['pˈOlɪʃ']);
  assert.deepEqual(table.find('polish'), ['pˈɑlɪʃ']);
});

test('a missing word, a prefix and the empty word are not found', () => {
  const table = tableOf(['bow\tbˈO', 'bowl\tbˈOl']);
  for (const word of ['', 'bo', 'bowls', 'zebra', '; a']) assert.equal(table.find(word), undefined);
});

test('a repeated lookup gives the same, after any number of others', () => {
  const table = tableOf(['bow\tbˈO', 'bowl\tbˈOl']);
  for (let index = 0; index < 5000; index++) {
    assert.deepEqual(table.find('bow'), ['bˈO']);
    assert.equal(table.find(`word${index}`), undefined);
    assert.equal(table.find(`word${index}`), undefined);
  }
});

test('an empty table and one without a final newline are supported', () => {
  assert.equal(new PronunciationTable(Buffer.from('')).find('a'), undefined);
  assert.deepEqual(new PronunciationTable(Buffer.from('a\tA\nb\tbˈi')).find('b'), ['bˈi']);
});

test('a table out of order is rejected', () => {
  assert.throws(() => tableOf(['pear\tp', 'apple\ta']), /not in byte order/);
});

test('the table finds exactly its words', () => {
  const word = fc.stringMatching(/^[a-zA-Zéß'-]{1,8}$/);
  fc.assert(
    fc.property(fc.uniqueArray(word, { maxLength: 40 }), word, (words, other) => {
      const sorted = [...words].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      const table = tableOf(sorted.map((entry) => `${entry}\t<${entry}>`));
      for (const entry of words) assert.deepEqual(table.find(entry), [`<${entry}>`]);
      if (!words.includes(other)) assert.equal(table.find(other), undefined);
    }),
    { numRuns: 100 },
  );
});
