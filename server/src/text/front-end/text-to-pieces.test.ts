import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { LANGUAGES, type Piece } from '../piece.ts';
import type { LengthRange } from '../pieces/piece-splitter.ts';
import { type TextToPiecesOptions, textToPieces } from './text-to-pieces.ts';

const DEFAULTS: TextToPiecesOptions = {
  language: 'en-US',
  normalize: true,
  chunkLength: 200,
  minChunkLength: 50,
  cueStyle: 'both',
};

function read(text: string, options: Partial<TextToPiecesOptions> = {}): Piece[] {
  return [...textToPieces(text, { ...DEFAULTS, ...options })];
}

function render(piece: Piece): string {
  return piece.words.map((word) => `${word.before}${word.text}${word.after}`).join(' ');
}

const LONG_SENTENCE =
  'When the committee finally published its report, after three delays, two resignations and a flood in the basement, most of the recommendations turned out to be things the gardeners had been saying for years.';

describe('an undetermined language', () => {
  it('keeps words and numbers as written', () => {
    const [piece] = read('Der Zug kostet 12,50 Euro & fährt um 1.400 Uhr.', { language: 'und' });
    assert.deepEqual(
      piece!.words.map((word) => word.text),
      ['Der', 'Zug', 'kostet', '12,50', 'Euro', 'fährt', 'um', '1400', 'Uhr'],
    );
  });
});

describe('pieces', () => {
  it('a short text is one piece that ends the text', () => {
    const pieces = read('Could you turn the volume down a little, please?');
    assert.deepEqual(
      pieces.map((piece) => [render(piece), piece.boundary]),
      [['Could you turn the volume down a little, please?', 'end']],
    );
  });

  it('the first piece of a long sentence is its first clause', () => {
    const [first, second] = read(LONG_SENTENCE);
    assert.equal(render(first!), 'When the committee finally published its report,');
    assert.equal(first!.boundary, 'clause');
    assert.ok(second!.end - second!.start <= 120);
  });

  it('without punctuation the first piece ends before a word that begins a phrase', () => {
    const [first] = read(
      'the old man walked slowly along the river and the dog ran ahead of him through the long grass near the mill',
    );
    assert.ok(first!.end - first!.start <= 81);
    assert.equal(first!.boundary, 'phrase');
    assert.match(
      render(first!),
      /^the old man walked slowly along the river(?: and the dog ran ahead of him)?,$/,
    );
  });

  it('short sentences are merged, longer ones are separate', () => {
    const text = `Yes. No. Maybe. ${'This is a sentence of about fifty characters, yes. '.repeat(3)}`;
    assert.equal(render(read(text)[0]!).startsWith('Yes. No. Maybe. This'), true);
  });

  it('paragraphs end pieces, wrapped lines do not', () => {
    const pieces = read(
      'A heading\n\nThe first line of a letter that was folded by a mail\nprogram goes on here.\nBye',
    );
    assert.deepEqual(
      pieces.map((piece) => [render(piece), piece.boundary]),
      [
        ['A heading.', 'paragraph'],
        ['The first line of a letter that was folded by a mail program goes on here.', 'paragraph'],
        ['Bye.', 'end'],
      ],
    );
  });

  it('lines without punctuation end sentences, and bullets are dropped', () => {
    const pieces = read(
      'Here is what you need:\n- a long and sharp knife\n- two boards\n\n- and the third thing, too',
    );
    assert.deepEqual(
      pieces.map((piece) => [render(piece), piece.boundary]),
      [
        ['Here is what you need:', 'sentence'],
        ['a long and sharp knife. two boards.', 'paragraph'],
        ['and the third thing, too.', 'end'],
      ],
    );
  });

  it('a verse that ends with a comma continues', () => {
    const [first] = read('Beside the lake, beneath the trees,\nFluttering and dancing in the breeze');
    assert.equal(render(first!), 'Beside the lake, beneath the trees, Fluttering and dancing in the breeze.');
  });

  it('a cut without punctuation is before a clause', () => {
    const texts = {
      "Well, I suppose that if we leave now and the traffic on the bridge isn't too bad we might still get there.":
        'Well, I suppose that if we leave now,',
      'Make sure that the power switch is in the off position and that the cable of the lamp is out.':
        'Make sure that the power switch is in the off position,',
    };
    for (const [text, first] of Object.entries(texts)) assert.equal(render(read(text)[0]!), first);
  });

  it('abbreviations, decimals, initials and quotes do not end sentences', () => {
    const texts = [
      'Dr. Smith of St. Paul met J. K. Rowling at 3.5 p.m. today.',
      'He asked “Why?” and left.',
      'Well... maybe.',
      'Prices rose 3.5 percent, i.e. a lot, vs. last year.',
    ];
    for (const text of texts)
      assert.equal(read(text, { minChunkLength: 0, firstPieceLength: 1000 }).length, 1, text);
  });

  it('a plain first sentence is one piece where the engine decodes its opening early', () => {
    const text =
      'The results of the experiment suggest that people who sleep less than six hours make mistakes. So there.';
    const firstOf = (source: string, firstSentenceLengths?: LengthRange) =>
      read(source, { chunkLength: 150, minChunkLength: 50, firstPieceLength: 60, firstSentenceLengths })[0]!;
    const range = { min: 60, max: 200 };
    assert.ok(firstOf(text).end < 80);
    assert.ok(render(firstOf(text, range)).endsWith('mistakes.'));
    assert.ok(render(firstOf(`Well. ${text}`, range)).endsWith('mistakes.'));
    assert.ok(firstOf(LONG_SENTENCE, range).end < 100, 'a longer sentence is split');
    assert.ok(firstOf(text.replace('people', '(happy) people'), range).end < 80, 'cues need a short piece');
    assert.equal(render(firstOf('So there. '.repeat(9), range)), render(firstOf('So there. '.repeat(9))));
  });

  it('Chinese, Japanese and Hindi full stops end sentences without a space', () => {
    const count = (language: TextToPiecesOptions['language'], text: string) =>
      read(text, { language, minChunkLength: 0, firstPieceLength: Number.POSITIVE_INFINITY }).length;
    assert.equal(count('zh', '你好。再见！走吗？'), 3);
    assert.equal(count('ja', 'はい。いいえ。'), 2);
    assert.equal(count('hi', 'हाँ। नहीं।'), 2);
  });

  it('the words of a dollar amount have the offsets of its source', () => {
    const [piece] = read('It costs $5 now.');
    assert.deepEqual(
      piece!.words.map(({ text, start, end }) => [text, start, end]),
      [
        ['It', 0, 2],
        ['costs', 3, 8],
        ['five', 9, 11],
        ['dollars', 9, 11],
        ['now', 12, 15],
      ],
    );
  });

  it('offsets are those of the original text, before cleaning', () => {
    const text = '😀 “ﬁne”\u200b it’s';
    const [piece] = read(text);
    assert.deepEqual(
      piece!.words.map((word) => text.slice(word.start, word.end)),
      ['ﬁne', 'it’s'],
    );
  });
});

describe('cues in a text', () => {
  it('are not words and precede the word they apply to', () => {
    const [piece] = read('(sad) I lost it [sighing] again. [laughing]');
    assert.equal(render(piece!), 'I lost it again.');
    assert.deepEqual(
      piece!.cues.map(({ name, wordIndex }) => [name, wordIndex]),
      [
        ['sad', 0],
        ['sighing', 3],
        ['laughing', 4],
      ],
    );
    assert.equal(piece!.end, '(sad) I lost it [sighing] again. [laughing]'.length);
  });

  it('a change of speaker begins a new piece', () => {
    const pieces = read('<|speaker:0|>Hello there <|speaker:1|>Hi.');
    assert.deepEqual(
      pieces.map((piece) => [render(piece), piece.boundary, piece.speaker, piece.cues]),
      [
        ['Hello there.', 'sentence', 0, []],
        ['Hi.', 'end', 1, []],
      ],
    );
  });

  it('a text of cues is one piece without words, a text of punctuation no piece', () => {
    assert.deepEqual(read('(laughing)')[0]!.words, []);
    assert.deepEqual(read(' ... !! '), []);
  });
});

describe('phoneme spans in a text', () => {
  const SPAN = '<|phoneme_start|>EH1 N JH AH0 N<|phoneme_end|>';

  it('are one word with the offsets of their value, with and without normalization', () => {
    for (const normalize of [true, false]) {
      const text = `The ${SPAN}, “${SPAN}” cost 5.`;
      const words = read(text, { normalize }).flatMap((piece) => piece.words);
      assert.deepEqual(
        words.map(({ text: said, before, after, start, end }) => [
          before + said + after,
          text.slice(start, end),
        ]),
        [
          ['The', 'The'],
          ['ehnjhahn,', 'EH1 N JH AH0 N'],
          ['“ehnjhahn”', 'EH1 N JH AH0 N'],
          ['cost', 'cost'],
          ['five.', '5'],
        ],
      );
      assert.deepEqual(words[1]!.phonemes, { alphabet: 'arpabet', value: 'EH1 N JH AH0 N' });
    }
  });

  it('are parsed in the alphabet of the language', () => {
    const phonemes = (value: string, language: TextToPiecesOptions['language']) =>
      read(`<|phoneme_start|>${value}<|phoneme_end|>`, { language })[0]!.words[0]!.phonemes;
    assert.deepEqual(phonemes('gong1', 'zh'), { alphabet: 'pinyin', value: 'gong1' });
    assert.deepEqual(phonemes('ha0shi1', 'ja'), { alphabet: 'romaji', value: 'ha0shi1' });
    assert.deepEqual(phonemes('/o.la/', 'es'), { alphabet: 'ipa', value: 'o.la' });
  });

  it('separate the adjacent words, which are still verbalized in context', () => {
    const verbalize = (text: string, options?: Partial<TextToPiecesOptions>) =>
      read(text, options).flatMap((piece) => piece.words.map((word) => word.text));
    assert.deepEqual(verbalize(`con${SPAN}ing`), ['con', 'ehnjhahn', 'ing']);
    assert.deepEqual(verbalize(`我在<|phoneme_start|>gong1<|phoneme_end|>作`, { language: 'zh' }), [
      '我在',
      'gong',
      '作',
    ]);
    assert.deepEqual(verbalize(`Dr. ${SPAN} came.`), ['doctor', 'ehnjhahn', 'came']);
  });

  it('are never split', () => {
    const text = `${'a word '.repeat(583)}<|phoneme_start|>${'B AH1 '.repeat(50)}<|phoneme_end|> end`;
    const words = read(text).flatMap((piece) => piece.words);
    assert.equal(words.filter((word) => word.phonemes).length, 1);
    assert.ok(!words.some((word) => /phoneme/.test(word.text)));
  });

  it('tags are recognized next to letters of any script', () => {
    const [first, second] = read('<|speaker:0|>Olá. <|speaker:1|>Até já.', { language: 'pt-BR' });
    assert.deepEqual([first!.speaker, render(first!)], [0, 'Olá.']);
    assert.deepEqual([second!.speaker, render(second!)], [1, 'Até já.']);
  });
});

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 120 }),
  fc
    .array(
      fc.constantFrom(
        ...[
          'Dr. ',
          'word ',
          '$5 ',
          '1,234.5',
          '3/4/2021 ',
          '. ',
          ', ',
          '(sad) ',
          '[x y] ',
          '😀',
          '\n',
          '“',
          '”',
          'a.m. ',
          '12:30-',
          'www.a.com ',
        ],
        ...[
          '漢字',
          'かな。',
          'é',
          'हिन्दी ',
          '<|speaker:1|>',
          '<|phoneme_start|>B AH1<|phoneme_end|>',
          '<|phoneme_start|>',
          '<|phoneme_end|>',
          '—',
          'FBI ',
          'II ',
          "'",
          '-',
          '٣',
          '\ud800',
          'e\u0301',
          '&amp;',
          '%',
          'km ',
        ],
      ),
      { maxLength: 60 },
    )
    .map((parts) => parts.join('')),
);

describe('any text', () => {
  it('gives words of letters, in order, within the text, in pieces without overlap', () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom(...LANGUAGES), fc.boolean(), (text, language, normalize) => {
        let pieceEnd = 0;
        let wordStart = 0;
        for (const piece of read(text, { language, normalize, chunkLength: 100 })) {
          assert.ok(piece.start >= pieceEnd && piece.end >= piece.start && piece.end <= text.length);
          pieceEnd = piece.end;
          for (const word of piece.words) {
            assert.match(word.text, /^[\p{L}〇][\p{L}\p{M}〇'-]*$/u);
            assert.match(word.after, /^\)?[,;:.!?…—]?”?$/u);
            assert.ok(word.start >= wordStart && word.end > word.start, 'words are in order');
            assert.ok(word.start >= piece.start && word.end <= piece.end, 'words are within their piece');
            wordStart = word.start;
          }
          for (const cue of piece.cues) assert.ok(cue.wordIndex <= piece.words.length);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('source spans of words are equal or disjoint', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const words = read(text).flatMap((piece) => piece.words);
        for (const [i, word] of words.slice(1).entries()) {
          const before = words[i]!;
          const isSame = word.start === before.start && word.end === before.end;
          assert.ok(isSame || word.start >= before.end, `${before.text} and ${word.text}`);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('gives the same words for any piece length', () => {
    fc.assert(
      fc.property(
        anyText,
        fc.integer({ min: 100, max: 300 }),
        fc.integer({ min: 0, max: 100 }),
        (text, chunkLength, minChunkLength) => {
          const words = (options: Partial<TextToPiecesOptions>) =>
            read(text, options).flatMap((piece) => piece.words.map((word) => word.text));
          assert.deepEqual(
            words({ chunkLength, minChunkLength }),
            words({ firstPieceLength: Number.POSITIVE_INFINITY }),
          );
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('adversarial text', () => {
  const adversarial: [string, string][] = [
    ['one word repeated', 'word '.repeat(10_000)],
    ['one endless word', 'a'.repeat(20_000)],
    ['one endless number', '7'.repeat(10_000)],
    ['open parentheses', '('.repeat(20_000)],
    ['full stops', '.'.repeat(50_000)],
    ['brackets around letters', '[a '.repeat(5_000)],
    ['a long address', `https://${'a.b/'.repeat(2_000)}`],
    ['dashed numbers', '1-'.repeat(5_000)],
    ['commas and figures', '1,000,'.repeat(2_000)],
    ['times in a row', '1:00-'.repeat(2_000)],
    ['less-than signs', '<|'.repeat(10_000)],
    ['marks on one letter', `e${'\u0301'.repeat(50_000)}`],
    ['Chinese without a stop', '漢字'.repeat(5_000)],
    ['cues only', '(sad)'.repeat(10_000)],
    ['blank space', ' \n'.repeat(50_000)],
  ];
  for (const [name, text] of adversarial) {
    it(`${name}: pieces are short and fast`, () => {
      const started = process.cpuUsage();
      let letters = 0;
      for (const piece of textToPieces(text, DEFAULTS)) {
        letters = Math.max(
          letters,
          piece.words.reduce((sum, word) => sum + word.text.length + 1, 0),
        );
      }
      assert.ok(letters <= 320, `${letters} letters in one piece`);
      assert.ok(process.cpuUsage(started).user < 5_000_000);
    });
  }

  it('the first piece of a megabyte of text is available at once', () => {
    const text = 'word '.repeat(200_000);
    const microsFor = (pieces: number) => {
      const started = process.cpuUsage();
      const source = textToPieces(text, DEFAULTS);
      for (let piece = 0; piece < pieces; piece++) assert.equal(source.next().done, false);
      return process.cpuUsage(started).user;
    };
    const firstMicros = Math.min(microsFor(1), microsFor(1), microsFor(1));
    // A front end that reads the whole text needs about as long for one piece as for a thousand.
    assert.ok(firstMicros < microsFor(1000) / 3, `${firstMicros} µs`);
  });
});
