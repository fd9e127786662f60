import assert from 'node:assert/strict';
import { test } from 'node:test';
import { captionWords } from './caption-words.ts';
import type { ChunkTiming } from './timing.ts';

/** A chunk at offset 100 with words of one second each. */
function chunk(text: string, words: readonly string[]): ChunkTiming {
  let at = 0;
  const timed = words.map((word, index) => {
    const start = text.indexOf(word, at);
    at = start + word.length;
    return {
      text: word,
      startSeconds: index,
      endSeconds: index + 1,
      charStart: 100 + start,
      charEnd: 100 + at,
    };
  });
  return {
    sequence: 0,
    text,
    charStart: 100,
    speaker: undefined,
    offsetSeconds: 10,
    marks: [],
    durationSeconds: words.length,
    words: timed,
  };
}

const CASES: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['“Hello,” he said.', ['Hello', 'he', 'said'], ['“Hello,”', 'he', 'said.']],
  ['(happy) Oh, (break) [very sad] no!', ['Oh', 'no'], ['Oh,', 'no!']],
  ['It costs $5 — now.', ['It', 'costs', '$5', 'now'], ['It', 'costs', '$5', 'now.']],
  ['and/or', ['and', 'or'], ['and/', '+or']],
  ['你好，世界。', ['你', '好', '世', '界'], ['你', '+好，', '+世', '+界。']],
];

for (const [text, words, expected] of CASES) {
  test(`${text} keeps its punctuation and loses its cues`, () => {
    const shown = captionWords(chunk(text, words));
    assert.deepEqual(
      shown.map((word) => (word.joinsPrevious ? '+' : '') + word.text),
      expected,
    );
    assert.equal(shown[0]!.startSeconds, 10);
  });
}
