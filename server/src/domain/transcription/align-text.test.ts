import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alignText, fillGaps } from './align-text.ts';

/** Words of one second each. */
function heard(text: string) {
  return text
    .split(' ')
    .map((word, index) => ({ text: word, startSeconds: index, endSeconds: index + 0.8, confidence: 0.9 }));
}

const CASES: readonly (readonly [string, string, string, readonly (readonly [string, number, number])[]])[] =
  [
    [
      'equal words',
      'Hello, World!',
      'hello world',
      [
        ['Hello,', 0, 0.8],
        ['World!', 1, 1.8],
      ],
    ],
    [
      'a misheard word',
      'see the ships',
      'sea the ships',
      [
        ['see', 0, 0.8],
        ['the', 1, 1.8],
        ['ships', 2, 2.8],
      ],
    ],
    [
      'a word that was not heard',
      'one and two',
      'one two',
      [
        ['one', 0, 0.8],
        ['and', 0.8, 1],
        ['two', 1, 1.8],
      ],
    ],
    [
      'a word that is not in the text',
      'one two',
      'one um two',
      [
        ['one', 0, 0.8],
        ['two', 2, 2.8],
      ],
    ],
  ];
for (const [name, text, transcript, expected] of CASES) {
  test(`${name} is aligned`, async () => {
    const aligned = await alignText(text, heard(transcript));
    const rounded = (seconds: number) => Math.round(seconds * 1000) / 1000;
    assert.deepEqual(
      aligned.map((word) => [word.text, rounded(word.startSeconds), rounded(word.endSeconds)]),
      expected,
    );
    for (const { text: word, start } of aligned) assert.equal(text.slice(start, start + word.length), word);
  });
}

test('the confidence of a word says how well it matches', async () => {
  const aligned = await alignText('one and tow', heard('one two'));
  assert.deepEqual(
    aligned.map(({ confidence }) => confidence),
    [0.9, 0, 0.45],
  );
});

test('a text is aligned with silence, and a text that is too long is refused', async () => {
  assert.equal((await alignText('one two', [])).length, 2);
  const long = 'word '.repeat(3000);
  await assert.rejects(alignText(long, heard(long.trim())), { code: 'text_too_long' });
});

test('words that were not heard share the time around them, in one pass', () => {
  const word = (startSeconds: number) => ({ startSeconds, endSeconds: startSeconds + 1 });
  assert.deepEqual(fillGaps([undefined, word(2), undefined, undefined, word(7)], 9), [
    { startSeconds: 0, endSeconds: 2 },
    word(2),
    { startSeconds: 3, endSeconds: 5 },
    { startSeconds: 5, endSeconds: 7 },
    word(7),
  ]);
  let reads = 0;
  const unheard = new Proxy(new Array<undefined>(1000).fill(undefined), {
    get(words, name, receiver) {
      reads += 1;
      return Reflect.get(words, name, receiver);
    },
  });
  assert.equal(fillGaps(unheard, 1).length, 1000);
  assert.ok(reads < 10_000, `${reads} reads`);
});
