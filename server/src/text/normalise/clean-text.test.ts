import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { cleanText } from './clean-text.ts';

function clean(text: string): string {
  return cleanText(text, 0, text.length).text;
}

describe('clean text', () => {
  const table: [string, string][] = [
    ['it’s ‘fine’', "it's 'fine'"],
    ['"Hi," she said', '“Hi,” she said'],
    ['«Salut»', '“Salut”'],
    ['ﬁne ofﬁce', 'fine office'],
    ['１２３ＡＢＣ', '123ABC'],
    ['१२', '12'],
    ['a\u00a0b\u202fc\td', 'a b c d'],
    ['soft\u00adhyphen zero\u200bwidth', 'softhyphen zerowidth'],
    ['bell\u0007', 'bell'],
    ['cafe\u0301', 'café'],
    ['\ud800x\udfff', 'x'],
    ['a😀b👨‍👩‍👧c', 'a b   c'],
    ['Tom &amp; Jerry &#39;s', "Tom & Jerry 's"],
    ['−5 ‑ x', '-5 - x'],
    ['ﾊﾞｽ', 'バス'],
  ];
  for (const [written, expected] of table) {
    it(`${JSON.stringify(written)} becomes ${JSON.stringify(expected)}`, () =>
      assert.equal(clean(written), expected));
  }

  it('the number of combining marks per letter is limited', () => {
    assert.equal(clean(`z${'\u0335'.repeat(100)}`), 'z');
  });

  it('every clean character maps to the source span, in order', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.nat(10), (text, skip) => {
        const start = Math.min(skip, text.length);
        const result = cleanText(text, start, text.length);
        let last = start;
        for (let i = 0; i < result.text.length; i++) {
          assert.ok(result.startOf(i) >= last && result.endOf(i + 1) > result.startOf(i));
          assert.ok(result.endOf(i + 1) <= text.length);
          last = result.startOf(i);
        }
      }),
    );
  });
});
