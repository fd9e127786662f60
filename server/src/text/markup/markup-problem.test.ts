import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findMarkupProblem } from './markup-problem.ts';

describe('markup', () => {
  const ERRORS: readonly [text: string, at: number, message: RegExp][] = [
    ['so <|phoneme_start|>EH1', 3, /`<\|phoneme_start\|>` at character 3 is not part of a span/],
    ['EH1<|phoneme_end|>', 3, /`<\|phoneme_end\|>` at character 3 is not part of a span/],
    [
      '<|phoneme_start|>A<|phoneme_start|>EH1<|phoneme_end|>',
      0,
      /`<\|phoneme_start\|>` at character 0 is not part of a span/,
    ],
    [
      '<|phoneme_start|>EH1<|phoneme_end|> <|phoneme_start|>QQ<|phoneme_end|>',
      36,
      /"QQ" at character 53 are invalid: Arpabet has no symbol "QQ"/,
    ],
    ['<|phoneme_start|><|phoneme_end|>', 0, /"" at character 17 are invalid/],
  ];
  for (const [text, at, message] of ERRORS) {
    it(`${text} has an error at ${at}`, () => {
      const problem = findMarkupProblem(text, 'en-US');
      assert.equal(problem?.at, at);
      assert.match(problem!.message, message);
    });
  }

  it('a valid text has no error', () => {
    for (const text of ['', 'plain', '<|speaker:1|>Hi', '<|phoneme_start|>EH1 N<|phoneme_end|> <|other|>'])
      assert.equal(findMarkupProblem(text, 'en-US'), undefined);
  });
});
