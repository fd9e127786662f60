import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Tokenizer } from './tokenizer.ts';

/** A tokenizer with all single bytes and the given merges. */
function makeTokenizer(...merges: string[]): Tokenizer {
  let next = 0x100;
  const letters = Array.from({ length: 256 }, (_, byte) => {
    const isPrintable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte !== 0xad);
    return String.fromCodePoint(isPrintable ? byte : next++);
  });
  const tokens = [...letters, ...merges.map((merge) => merge.replace(' ', ''))];
  return new Tokenizer({
    vocabulary: JSON.stringify(Object.fromEntries(tokens.map((token, id) => [token, id]))),
    merges: ['#version: 0.2', ...merges, ''].join('\n'),
  });
}

const textOf = (tokenizer: Tokenizer, tokens: readonly number[]) =>
  Buffer.concat(tokens.map((token) => tokenizer.bytesOf(token))).toString('utf8');

test('pairs are merged in order of rank', () => {
  const tokenizer = makeTokenizer('Ġ t', 'h e', 'Ġt he');
  assert.deepEqual(tokenizer.encode(' the'), [258]);
  assert.deepEqual(tokenizer.encode('the'), ['t'.codePointAt(0)!, 257]);
});

test('tokens do not cross word boundaries', () => {
  assert.deepEqual(makeTokenizer('a Ġ').encode('a b').length, 3);
});

test('the tokens of any text decode to the same text', () => {
  const tokenizer = makeTokenizer('Ġ t', 'h e', 'Ġt he', 'Ã ©');
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      assert.equal(textOf(tokenizer, tokenizer.encode(text)), text);
    }),
  );
});

test('the end of a text has the last tokens of the text', () => {
  const tokenizer = makeTokenizer('Ġ t', 'h e', 'Ġt he', 'Ã ©', 'e Ġt', 'e e', 'ee ee');
  const texts = fc.array(fc.constantFrom('the ', 'e', 'é', '1', ' ', '!', 'tree '), { maxLength: 60 });
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 20 }), (parts, max) => {
      const text = parts.join('');
      assert.deepEqual(tokenizer.encodeEnd(text, max), tokenizer.encode(text).slice(-max));
    }),
  );
});

test('words before the last tokens of a text are not encoded', () => {
  const tokenizer = makeTokenizer('a b');
  const word = 'ab'.repeat(2500);
  const started = process.cpuUsage();
  tokenizer.encode(word);
  const { user: oneMicros } = process.cpuUsage(started);
  const startedLong = process.cpuUsage();
  assert.equal(tokenizer.encodeEnd(`${word} `.repeat(200), 200).length, 200);
  const { user: manyMicros } = process.cpuUsage(startedLong);
  assert.ok(manyMicros < 20 * oneMicros + 100_000, `${manyMicros} and ${oneMicros} µs`);
});

test('a token outside the vocabulary has no text', () => {
  assert.equal(makeTokenizer().bytesOf(50_362).length, 0);
});
