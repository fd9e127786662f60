import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createDictionaryMatcher, type DictionaryItem } from './dictionary-matcher.ts';
import { type TextToPiecesOptions, textToPieces } from './front-end/text-to-pieces.ts';

type Match = readonly [start: number, end: number, value: string];

/** Reference implementation: leftmost longest matches by trying every item at every position. */
function naiveMatches(text: string, items: readonly DictionaryItem[]): Match[] {
  const fold = (part: string) => part.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const matches: Match[] = [];
  for (let at = 0; at < text.length; ) {
    let best: DictionaryItem | undefined;
    for (const item of items) {
      const part = text.slice(at, at + item.key.length);
      const isSame = item.isCaseSensitive ? part === item.key : fold(part) === fold(item.key);
      const mayMatch = !item.isWholeWord || (isBoundary(text, at) && isBoundary(text, at + item.key.length));
      if (isSame && mayMatch && item.key.length > (best?.key.length ?? 0)) best = item;
    }
    if (best) matches.push([at, at + best.key.length, best.value]);
    at += best?.key.length ?? 1;
  }
  return matches;
}

function isBoundary(text: string, at: number): boolean {
  return !/^\p{L}\p{L}$/u.test(text.slice(Math.max(0, at - 1), at + 1));
}

function matches(text: string, items: readonly DictionaryItem[]): Match[] {
  const matcher = createDictionaryMatcher(items);
  const found: Match[] = [];
  for (let at = 0; at < text.length; ) {
    const match = matcher.longestAt(text, at, text.length);
    if (match) found.push([at, at + match.length, match.value]);
    at += match?.length ?? 1;
  }
  return found;
}

const item = (key: string, value: string, isCaseSensitive = false): DictionaryItem => ({
  key,
  value,
  isCaseSensitive,
});

describe('a dictionary', () => {
  const letters = fc.string({
    unit: fc.constantFrom('a', 'A', 'b', 'B', 'é', ' '),
    minLength: 1,
    maxLength: 5,
  });
  const items = fc.array(
    fc.record({
      key: letters,
      value: fc.uuid(),
      isCaseSensitive: fc.boolean(),
      isWholeWord: fc.boolean(),
    }),
    { maxLength: 30 },
  );

  it('equals the reference implementation', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'A', 'b', 'B', 'é', ' '), maxLength: 60 }),
        items,
        (text, list) => assert.deepEqual(matches(text, list), naiveMatches(text, list)),
      ),
      { numRuns: 1000 },
    );
  });

  it('matches whole words next to letters outside of ASCII and outside of the basic plane', () => {
    const words = [{ ...item('AI', 'AY1'), isWholeWord: true }];
    assert.equal(matches('AI, ai! (AI)', words).length, 3);
    assert.deepEqual(matches('said éAI AIé 𝒜AI AI𝒜 AI2', words), []);
    assert.equal(matches('😀AI😀', words).length, 1);
  });

  it('processes 15,000 items and a long text within 3 seconds', () => {
    const many = Array.from({ length: 15_000 }, (_, index) => item(`${'a'.repeat(200)}${index}`, 'AH1'));
    const started = process.cpuUsage();
    assert.deepEqual(matches('a'.repeat(100_000), many), []);
    assert.equal(matches(`x${many[777]!.key}`, many).length, 1);
    assert.ok(process.cpuUsage(started).user < 3_000_000);
  });
});

const OPTIONS: TextToPiecesOptions = {
  language: 'en-US',
  normalize: true,
  chunkLength: 200,
  minChunkLength: 50,
  cueStyle: 'both',
};

function verbalize(
  text: string,
  list: readonly DictionaryItem[],
  options: Partial<TextToPiecesOptions> = {},
): string[] {
  const pronunciations = createDictionaryMatcher(list);
  return [...textToPieces(text, { ...OPTIONS, ...options, pronunciations })].flatMap((piece) =>
    piece.words.map((word) =>
      word.phonemes ? `${text.slice(word.start, word.end)}=${word.phonemes.value}` : word.text,
    ),
  );
}

describe('a text with a dictionary', () => {
  const LIST = [
    item('nginx', 'EH1 N JH AH0 N EH1 K S'),
    item('SQL', 'S IY1 K W AH0 L', true),
    item('New York', 'N UW2 Y AO1 R K'),
    item('3D', 'TH R IY1 D IY1'),
    item('(sad)', 'S AE1 D'),
    item('重庆', 'chong2 qing4'),
  ];
  const TABLE: readonly [text: string, words: readonly string[]][] = [
    ['Nginx costs $5.', ['Nginx=EH1 N JH AH0 N EH1 K S', 'costs', 'five', 'dollars']],
    ['SQL, sql', ['SQL=S IY1 K W AH0 L', 'S', 'Q', 'L']],
    ['new york!', ['new york=N UW2 Y AO1 R K']],
    ['In 3D: 42.', ['In', '3D=TH R IY1 D IY1', 'forty', 'two']],
    ['mysqlSQLdb', ['mysql', 'SQL=S IY1 K W AH0 L', 'db']],
    ['(sad) [nginx mood] ok', ['ok']],
    ['<|phoneme_start|>S AE1 D<|phoneme_end|>', ['S AE1 D=S AE1 D']],
    ['Mr. Nginx left.', ['mister', 'Nginx=EH1 N JH AH0 N EH1 K S', 'left']],
    ['in New\nYork', ['in', 'New', 'York']],
  ];
  for (const [text, words] of TABLE) {
    it(`${JSON.stringify(text)} is ${words.join(' ')}`, () => assert.deepEqual(verbalize(text, LIST), words));
  }

  it('applies to Chinese words', () => {
    assert.deepEqual(verbalize('我去重庆玩。', LIST, { language: 'zh' }), [
      '我去',
      '重庆=chong2 qing4',
      '玩',
    ]);
  });

  it('finds a phrase across a line break or a block boundary', () => {
    assert.deepEqual(verbalize('so a\nb cat', [item('a\nb', 'AH1')]), ['so', 'a\nb=AH1', 'cat']);
    const long = `${'x y '.repeat(1023)}new york ${'x y '.repeat(10)}`;
    for (let shift = 0; shift < 12; shift++) {
      const text = `${'z'.repeat(shift)} ${long}`;
      assert.equal(verbalize(text, LIST).filter((word) => word.startsWith('new york=')).length, 1);
    }
  });

  it('gives offsets into the original text', () => {
    const parts = fc.constantFrom(
      'nginx',
      'SQL',
      '$5 ',
      'é',
      '“',
      '. ',
      '(sad)',
      '漢',
      'New York',
      '\n',
      '3D',
      '<|speaker:1|>',
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 40 }), (list) => {
        const text = list.join('');
        let end = 0;
        for (const piece of textToPieces(text, {
          ...OPTIONS,
          pronunciations: createDictionaryMatcher(LIST),
        })) {
          for (const word of piece.words) {
            assert.ok(word.end > word.start && (word.start >= end || word.end === end));
            end = word.end;
            if (!word.phonemes) continue;
            const written = text.slice(word.start, word.end).toLowerCase();
            assert.ok(
              LIST.some(({ key, value }) => key.toLowerCase() === written && value === word.phonemes!.value),
            );
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});
