import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CUE_VOCABULARY, type CueStyle, findCue, findPhonemeSpan, isKnownCue } from './cues.ts';

describe('cues', () => {
  const table: [string, CueStyle, string | undefined][] = [
    ['(sad)', 'parentheses', 'sad'],
    ['( Very Excited )', 'parentheses', 'very excited'],
    ['(in a hurry tone)', 'parentheses', 'in a hurry tone'],
    ['(long-break)', 'parentheses', 'long-break'],
    ['(see below)', 'parentheses', undefined],
    ['(sad)', 'brackets', undefined],
    ['[sad]', 'parentheses', undefined],
    ['[whispers sweetly]', 'brackets', 'whispers sweetly'],
    ['[professional broadcast tone]', 'both', 'professional broadcast tone'],
    ['[开心]', 'brackets', '开心'],
    ['[one two three four five six seven]', 'brackets', undefined],
    ['[a+b=c]', 'brackets', undefined],
    ['[link](https://example.com)', 'brackets', undefined],
  ];
  for (const [written, style, name] of table) {
    it(`${written} in style ${style} is ${name ?? 'no cue'}`, () => {
      assert.equal(findCue(written, 0, style)?.name, name);
    });
  }

  it('speaker tags and phoneme spans', () => {
    assert.deepEqual(findCue('<|speaker:12|>', 0, 'both'), { name: undefined, speaker: 12, end: 14 });
    const span = 'so <|phoneme_start|> EH1 N <|phoneme_end|>!';
    assert.deepEqual(findPhonemeSpan(span, 3), { valueStart: 21, valueEnd: 26, end: 42 });
    assert.equal(findPhonemeSpan('<|phoneme_start|>EH1 N', 0), undefined);
  });

  it('footnote marks and unknown tags have no name', () => {
    for (const written of ['[12]', '[1, 3]', '[*]', '<|end|>']) {
      assert.deepEqual(findCue(written, 0, 'parentheses'), { name: undefined, end: written.length });
    }
  });

  it('the published vocabulary is complete: 71 emotions and the unlisted words', () => {
    assert.ok(CUE_VOCABULARY.emotions.length >= 71);
    for (const name of ['empathetic', 'yielding', 'crying loudly', 'soft tone', 'lip-smacking', 'narrator']) {
      assert.ok(isKnownCue(name), name);
    }
  });
});
