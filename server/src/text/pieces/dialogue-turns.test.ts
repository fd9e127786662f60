import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitDialogueTurns } from './dialogue-turns.ts';

const CASES: readonly (readonly [string, readonly (readonly [number | undefined, string])[]])[] = [
  ['Hello.', [[undefined, 'Hello.']]],
  ['', []],
  [
    '<|speaker:0|>Hi!<|speaker:1|> Hello.',
    [
      [0, 'Hi!'],
      [1, ' Hello.'],
    ],
  ],
  [
    'First. <| Speaker:12 |>Then.<|speaker:3|> <|speaker:4|>Last.',
    [
      [undefined, 'First. '],
      [12, 'Then.'],
      [4, 'Last.'],
    ],
  ],
  ['<|speaker:x|>a', [[undefined, '<|speaker:x|>a']]],
];

for (const [text, expected] of CASES) {
  test(`turns of ${JSON.stringify(text)}`, () => {
    const turns = splitDialogueTurns(text).map(({ speaker, start, end }) => [
      speaker,
      text.slice(start, end),
    ]);
    assert.deepEqual(turns, expected);
  });
}
