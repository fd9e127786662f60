import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLexiconInSteps, writeLexicon } from './pronunciation-lexicon.ts';

function parseLexicon(xml: string) {
  const steps = parseLexiconInSteps(xml);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

const wrap = (lexemes: string, alphabet = 'cmu-arpabet') =>
  `<?xml version="1.0"?><lexicon version="1.0" alphabet="${alphabet}" xml:lang="en-US">${lexemes}</lexicon>`;

test('each grapheme gets the first pronunciation of its lexeme', () => {
  const xml = wrap(`
    <lexeme><grapheme>AT&amp;T</grapheme><grapheme>ATT</grapheme>
      <phoneme>EY1 T IY1</phoneme><phoneme>AH0</phoneme></lexeme>
    <lexeme><grapheme> nginx </grapheme><phoneme alphabet="ipa">ˈɛndʒɪn</phoneme></lexeme>`);
  const flags = { isCaseSensitive: true, isWholeWord: true };
  const items = [
    { key: 'AT&T', value: 'EY1 T IY1', ...flags },
    { key: 'ATT', value: 'EY1 T IY1', ...flags },
    { key: 'nginx', value: '/ˈɛndʒɪn/', ...flags },
  ];
  assert.deepEqual(parseLexicon(xml), items);
  assert.deepEqual(parseLexicon(writeLexicon(items)), items);
});

const INVALID = {
  'an empty file': '',
  'another root element': '<speak>nginx</speak>',
  'a file that is not XML': 'nginx, engine x',
  'an element that is not closed': '<lexicon><lexeme>',
  'a document type': '<!DOCTYPE lexicon><lexicon/>',
  'an alias': wrap('<lexeme><grapheme>UN</grapheme><alias>United Nations</alias></lexeme>'),
  'a lexeme without pronunciation': wrap('<lexeme><grapheme>UN</grapheme></lexeme>'),
  'an unknown alphabet': wrap('<lexeme><grapheme>UN</grapheme><phoneme>a</phoneme></lexeme>', 'x-sampa'),
  'a long grapheme': wrap(`<lexeme><grapheme>${'x'.repeat(257)}</grapheme><phoneme>AH0</phoneme></lexeme>`),
  'deep nesting': `<lexicon>${'<metadata>'.repeat(20)}`,
  'too many graphemes of one lexeme': wrap(`<lexeme>${'<grapheme>a</grapheme>'.repeat(180_000)}`),
  'a long text between two tags': wrap(`<metadata>${'&amp;'.repeat(5000)}</metadata>`),
  'a long attribute': wrap(`<metadata name="${'&amp;'.repeat(5000)}"/>`),
  'a long CDATA section': wrap(`<metadata><![CDATA[${'a'.repeat(25_000)}]]></metadata>`),
  'too many entries': wrap('<lexeme><grapheme>a</grapheme><phoneme>AH0</phoneme></lexeme>'.repeat(5001)),
};
for (const [what, xml] of Object.entries(INVALID)) {
  test(`${what} is rejected`, () => assert.throws(() => parseLexicon(xml), { code: 'invalid_parameter' }));
}

test('a lexicon is read in steps of one tag or text', () => {
  let stepCount = 0;
  for (const _ of parseLexiconInSteps(wrap('<metadata/>'.repeat(1000)))) stepCount++;
  assert.ok(stepCount >= 1000, `${stepCount} steps`);
});
