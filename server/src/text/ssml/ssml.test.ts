import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type TextToPiecesOptions, textToPieces } from '../front-end/text-to-pieces.ts';
import type { Piece } from '../piece.ts';
import { inspectSsml } from './inspect-ssml.ts';
import { SsmlError } from './ssml-error.ts';
import { isSsml } from './ssml-events.ts';

const LIMITS = { ssmlDepthMax: 16, ssmlBreakMaxSeconds: 10 };
const OPTIONS: TextToPiecesOptions = {
  language: 'en-US',
  normalize: true,
  chunkLength: 300,
  minChunkLength: 50,
  cueStyle: 'both',
  firstPieceLength: Number.POSITIVE_INFINITY,
  ssml: { limits: LIMITS, languageOfVoice: (voice) => (voice === 'jf_alpha' ? 'ja' : undefined) },
};

function read(text: string, options: Partial<TextToPiecesOptions> = {}): Piece[] {
  return [...textToPieces(text, { ...OPTIONS, ...options })];
}

function render(pieces: readonly Piece[]): string {
  return pieces
    .map(({ words }) => words.map((word) => word.before + word.text + word.after).join(' '))
    .join(' | ');
}

describe('an SSML text', () => {
  const READ: readonly [inner: string, words: string][] = [
    ['Hello, world!', 'Hello, world!'],
    ['I <emphasis>love</emphasis> it', 'I love it.'],
    ['un<emphasis>believ</emphasis>able', 'unbelievable.'],
    ['“<prosody rate="fast">Stop!</prosody>” she said.', '“Stop!” she said.'],
    ['&lt;5 &amp; &#65;&#x42;', 'less than five and A B.'],
    ['<![CDATA[a < b]]>', 'A is less than B.'],
    ['one<!-- b --> two', 'one two.'],
    ['<s>One</s><s>Two</s>', 'One. Two.'],
    ['<p>One</p><p>Two</p>', 'One. | Two.'],
    ['before <p>One</p> after', 'before. | One. | after.'],
    ['<sub alias="World Wide Web Consortium">W3C</sub> rules', 'World Wide Web Consortium rules.'],
    ['<sub alias="Dr. Smith, 5">x</sub>', 'doctor Smith, five.'],
    ['line\n\n\nbroken', 'line broken.'],
    ['[sad] <s>No.</s>', 'No.'],
  ];
  for (const [inner, words] of READ) {
    it(`${inner.replaceAll('\n', ' ')} is ${words}`, () =>
      assert.equal(render(read(`<speak>${inner}</speak>`)), words));
  }

  const SAY_AS: readonly [interpretation: string, written: string, words: string, format?: string][] = [
    ['characters', 'Ab1', 'A B one.'],
    ['spell-out', 'NASA', 'N A S A.'],
    ['verbatim', 'a-b', 'A B.'],
    ['cardinal', '1,234', 'one thousand two hundred thirty four.'],
    ['cardinal', '-2.5', 'minus two point five.'],
    ['number', '007', 'zero zero seven.'],
    ['ordinal', '21', 'twenty first.'],
    ['ordinal', '3rd', 'third.'],
    ['digits', '4 2', 'four two.'],
    ['date', '1/2/2020', 'January second twenty twenty.'],
    ['date', '1/2/2020', 'February first twenty twenty.', 'dmy'],
    ['date', '20200102', 'January second twenty twenty.', 'yyyymmdd'],
    ['date', '2020-01', 'January twenty twenty.', 'ym'],
    ['date', '1987', 'nineteen eighty seven.', 'y'],
    ['date', '99/99/2020', 'ninety nine ninety nine twenty twenty.'],
    ['time', '2:30pm', 'two thirty P M.'],
    ['telephone', '555-1234', 'five five five, one two three four.'],
    ['currency', '$45.50', 'forty five dollars and fifty cents.'],
    ['fraction', '3+1/2', 'three and a half.'],
    ['unit', '10kg', 'ten kilograms.'],
    ['cardinal', 'many', 'many.'],
  ];
  for (const [interpretation, written, words, format] of SAY_AS) {
    it(`verbalizes ${written} as ${interpretation} ${format ?? ''}: ${words}`, () => {
      const attribute = format ? ` format="${format}"` : '';
      const text = `<speak><say-as interpret-as="${interpretation}"${attribute}>${written}</say-as></speak>`;
      const pieces = read(text, { normalize: false });
      assert.equal(render(pieces), words);
      for (const { start, end } of pieces[0]!.words) assert.equal(text.slice(start, end), written);
    });
  }

  it('has a pause for each break, of its duration', () => {
    const pauses = (inner: string) => read(`<speak>${inner}</speak>`).map((piece) => piece.pauses);
    assert.deepEqual(pauses('a <break time="1.5s"/> b <break time="250ms"/><break strength="x-weak"/>'), [
      [
        { seconds: 1.5, wordIndex: 1 },
        { seconds: 0.4, wordIndex: 2 },
      ],
    ]);
    assert.deepEqual(pauses('<break/>a <break strength="none"/>b'), [[{ seconds: 0.5, wordIndex: 0 }]]);
    assert.deepEqual(pauses('a <say-as interpret-as="expletive">b</say-as> c'), [
      [{ seconds: 0.4, wordIndex: 1 }],
    ]);
  });

  it('has marks with their offsets', () => {
    const text = '<speak><mark name="start"/>One <mark name="two"/>two.<mark name="end"/></speak>';
    const [piece] = read(text);
    assert.deepEqual(
      piece!.marks?.map(({ name, wordIndex, start, end }) => [name, wordIndex, text.slice(start, end)]),
      [
        ['start', 0, '<mark name="start"/>'],
        ['two', 1, '<mark name="two"/>'],
        ['end', 2, '<mark name="end"/>'],
      ],
    );
  });

  it('has phonemes in any alphabet, with the offsets of the written word', () => {
    const phonemes = (attributes: string) => {
      const text = `<speak>A <phoneme ${attributes}> word </phoneme>.</speak>`;
      const word = read(text)[0]!.words[1]!;
      assert.deepEqual([word.text, text.slice(word.start, word.end)], ['word', 'word']);
      return word.phonemes;
    };
    assert.deepEqual(phonemes('ph="/wɜːd/"'), { alphabet: 'ipa', value: '/wɜːd/' });
    assert.deepEqual(phonemes('ph="təˈmɑːtəʊ"'), { alphabet: 'ipa', value: 'təˈmɑːtəʊ' });
    assert.deepEqual(phonemes(`alphabet='x-arpabet' ph='W ER1 D'`), {
      alphabet: 'arpabet',
      value: 'W ER1 D',
    });
    assert.deepEqual(phonemes('alphabet="x-amazon-pinyin" ph="bao2"'), { alphabet: 'pinyin', value: 'bao2' });
    assert.deepEqual(phonemes('alphabet="romaji" ph="ha0shi1"'), { alphabet: 'romaji', value: 'ha0shi1' });
    const empty = '<speak><phoneme alphabet="cmu" ph="HH AY1"/></speak>';
    const [word] = read(empty)[0]!.words;
    assert.equal(empty.slice(word!.start, word!.end), '<phoneme alphabet="cmu" ph="HH AY1"/>');
  });

  it('changes voice and language, and verbalizes each span in its language', () => {
    const text =
      '<speak xml:lang="en">In 5 <lang xml:lang="fr-FR">5 jours</lang> <voice name="jf_alpha">5時</voice><voice name="x">5 <s xml:lang="es">5</s></voice></speak>';
    assert.deepEqual(
      read(text).map((piece) => [piece.voice, piece.language, render([piece]), piece.boundary]),
      [
        [undefined, undefined, 'In five,', 'phrase'],
        [undefined, 'fr', 'cinq jours.', 'sentence'],
        ['jf_alpha', 'ja', '五時.', 'sentence'],
        ['x', undefined, 'five.', 'sentence'],
        ['x', 'es', 'cinco.', 'end'],
      ],
    );
  });

  it('applies a dictionary outside of its markup only', () => {
    const pronunciations = {
      longestAt: (text: string, at: number, end: number) =>
        text.startsWith('sub', at) && at + 3 <= end ? { length: 3, value: 'S AH1 B' } : undefined,
    };
    const [piece] = read('<speak>sub <sub alias="one">sub</sub> su<s>b</s></speak>', { pronunciations });
    assert.deepEqual(
      piece!.words.map((word) => [word.text, word.phonemes !== undefined]),
      [
        ['sub', true],
        ['one', false],
        ['su', false],
        ['B', false],
      ],
    );
  });
});

describe('prosody', () => {
  const PROSODIES: readonly [attributes: string, prosody: object][] = [
    ['rate="slow"', { rate: 0.8 }],
    ['rate="120%"', { rate: 1.2 }],
    ['rate="1.5"', { rate: 1.5 }],
    ['rate="-50%"', { rate: 0.5 }],
    ['rate="+20%"', { rate: 1.2 }],
    ['rate="default"', { rate: 1 }],
    ['rate="900%"', { rate: 4 }],
    ['pitch="+2st"', { pitchSemitones: 2 }],
    ['pitch="-100%"', {}],
    ['pitch="x-high"', { pitchSemitones: 6 }],
    ['pitch="+100%"', { pitchSemitones: 12 }],
    ['pitch="330Hz"', { pitchSemitones: 12 }],
    ['pitch="-82.5Hz"', { pitchSemitones: -12 }],
    ['volume="+6dB"', { volumeDb: 6 }],
    ['volume="soft"', { volumeDb: -6 }],
    ['volume="10"', { volumeDb: -20 }],
    ['volume="-90%"', { volumeDb: -20 }],
    ['volume="silent"', { volumeDb: -100 }],
    ['volume="0"', { volumeDb: -100 }],
  ];
  for (const [attributes, prosody] of PROSODIES.filter(([, value]) => Object.keys(value).length > 0)) {
    it(`${attributes} is ${JSON.stringify(prosody)}`, () => {
      const [piece] = read(`<speak><prosody ${attributes}>word</prosody></speak>`);
      const rounded = Object.fromEntries(
        Object.entries(piece!.words[0]!.prosody ?? {}).map(([key, value]) => [
          key,
          Math.round(value * 1000) / 1000,
        ]),
      );
      assert.deepEqual(rounded, prosody);
    });
  }

  it('is cumulative, ends with its element, and emphasis can be reset', () => {
    const [piece] = read(
      '<speak><prosody rate="2" pitch="+1st">a <prosody rate="50%" pitch="+1st" volume="loud">b</prosody> <emphasis level="strong">c <emphasis level="none">d</emphasis></emphasis></prosody> e</speak>',
    );
    assert.deepEqual(
      piece!.words.map((word) => word.prosody),
      [
        { rate: 2, pitchSemitones: 1 },
        { rate: 1, pitchSemitones: 2, volumeDb: 6 },
        { rate: 2, pitchSemitones: 1, emphasis: 'strong' },
        { rate: 2, pitchSemitones: 1 },
        undefined,
      ],
    );
  });
});

describe('an SSML text that is refused', () => {
  const REFUSED: readonly [text: string, message: RegExp][] = [
    ['<speak><audio src="x"/></speak>', /<audio> is not supported \(at character 7\)/],
    ['<speak><lexicon uri="x"/></speak>', /<lexicon> is not supported/],
    ['<speak><w>x</w></speak>', /<w> is not supported/],
    [
      '<speak><amazon:effect name="x">x</amazon:effect></speak>',
      /<amazon:effect> is not a supported SSML element/,
    ],
    [
      '<speak><prosody contour="(0%,+20Hz)">x</prosody></speak>',
      /attribute contour of <prosody> is not supported/,
    ],
    ['<speak><voice gender="female">x</voice></speak>', /attribute gender of <voice> is not supported/],
    ['<speak><voice>x</voice></speak>', /<voice> requires the attribute name/],
    ['<speak><lang>x</lang></speak>', /<lang> requires the attribute xml:lang/],
    [`<speak xml:lang="en-${'a'.repeat(100)}">x</speak>`, /xml:lang of <speak> has more than 100 characters/],
    [`<speak><voice name="${'a'.repeat(257)}">x</voice></speak>`, /name of <voice> has more than 256 char/],
    ['<speak><lang xml:lang="tlh">x</lang></speak>', /language "tlh" is not supported/],
    ['<speak><sub>x</sub></speak>', /<sub> requires the attribute alias/],
    ['<speak><mark/></speak>', /<mark> requires the attribute name/],
    ['<speak><phoneme alphabet="x-sampa" ph="a">x</phoneme></speak>', /alphabet="x-sampa" is not supported/],
    ['<speak><phoneme ph="@">x</phoneme></speak>', /ph="@" is invalid/],
    ['<speak><phoneme>x</phoneme></speak>', /<phoneme> requires the attribute ph/],
    [
      '<speak><say-as interpret-as="interjection">x</say-as></speak>',
      /interpret-as="interjection" is not supported/,
    ],
    ['<speak><say-as>x</say-as></speak>', /requires the attribute interpret-as/],
    ['<speak><break time="11s"/></speak>', /at most 10 s/],
    ['<speak><break time="soon"/></speak>', /time="soon" is invalid/],
    ['<speak><break strength="big"/></speak>', /strength="big" is invalid: expected one of none, x-weak/],
    ['<speak><break>x</break></speak>', /<break> must not contain text/],
    ['<speak><prosody rate="0">x</prosody></speak>', /rate="0" is invalid/],
    ['<speak><prosody pitch="-100%">x</prosody></speak>', /pitch="-100%" is invalid/],
    ['<speak><prosody volume="big">x</prosody></speak>', /volume="big" is invalid/],
    ['<speak><emphasis level="huge">x</emphasis></speak>', /level="huge" is invalid/],
    ['<speak><sub alias="a"><s>x</s></sub></speak>', /<sub> must not contain an element/],
    ['<speak><speak>x</speak></speak>', /one <speak> element/],
    ['<speak>x', /<speak> is not closed/],
    ['<speak><p>x</speak>', /Unexpected <\/speak>: <p> is open/],
    ['<speak>x</speak> y', /text outside of the root element \(at character 16\)/],
    ['<speak>x</speak><speak/>', /second root element/],
    ['<speak>a & b</speak>', /"&" must begin/],
    ['<speak>a &nbsp; b</speak>', /"&" must begin/],
    ['<speak>&#0;</speak>', /stands for no character/],
    ['<speak>a < b</speak>', /"<" must begin/],
    ['<speak a="1" a="2"/>', /attribute a twice/],
    ['<speak a=1/>', /malformed/],
    ['<speak><!-- x</speak>', /comment is not closed/],
    ['<speak>\u0001</speak>', /control character/],
    ['<!DOCTYPE speak [<!ENTITY a "b">]><speak>&a;</speak>', /document type/],
    [`<speak>${'<s>'.repeat(16)}`, /nested more than 16 deep/],
  ];
  for (const [text, message] of REFUSED) {
    it(`${text.slice(0, 60)}: ${message.source}`, () => {
      assert.ok(isSsml(text));
      assert.throws(
        () => inspectSsml(text, LIMITS),
        (error) => error instanceof SsmlError && message.test(error.message),
      );
    });
  }

  it('a text is SSML only when it begins with <speak>', () => {
    for (const text of [
      '<speak/>',
      ' \n<speak>',
      '\ufeff<?xml version="1.0"?>\n<!-- x --><speak version="1.1">',
    ])
      assert.ok(isSsml(text), text);
    for (const text of ['', 'speak', '<speaker>', 'x <speak>', '<p><speak>', '<Speak>'])
      assert.ok(!isSsml(text), text);
  });
});

describe('a summary', () => {
  it('has the languages, voices, a sample of the text and whether there is speech', () => {
    const text =
      '<?xml version="1.0"?><speak xml:lang="ja-JP" xmlns="http://www.w3.org/2001/10/synthesis">こんにちは <voice name="a">x</voice><voice name="a">y</voice></speak>';
    assert.deepEqual(inspectSsml(text, LIMITS), {
      language: 'ja-JP',
      scopes: [{ language: 'ja-JP' }, { voice: 'a' }],
      sample: 'こんにちは  x y ',
      hasSpeech: true,
    });
    for (const inner of ['', ' ', '<break/>', '...', '<say-as interpret-as="expletive">x</say-as>'])
      assert.equal(inspectSsml(`<speak>${inner}</speak>`, LIMITS).hasSpeech, false, inner);
  });
});

describe('any SSML text', () => {
  const leaf = fc.constantFrom(
    ...[
      'word ',
      '$5 ',
      'Dr. ',
      '漢字',
      'é',
      '&amp;',
      '&#x41;',
      '. ',
      '“',
      '(sad)',
      '<break/>',
      '<mark name="m"/>',
      '\n',
    ],
    ...[
      '<phoneme alphabet="cmu" ph="B AH1">x</phoneme>',
      '<say-as interpret-as="digits">42</say-as>',
      '<![CDATA[<]]>',
    ],
  );
  const { tree } = fc.letrec<{ tree: string }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('tree'), { maxLength: 5 }).map((parts) => parts.join('')),
      fc
        .tuple(
          fc.constantFrom(
            ...['p', 's', 'prosody rate="slow"', 'emphasis', 'lang xml:lang="fr"', 'voice name="jf_alpha"'],
            'prosody volume="-6dB"',
          ),
          tie('tree'),
        )
        .map(([tag, inner]) => `<${tag}>${inner}</${tag.split(' ')[0]}>`),
    ),
  }));

  it('gives words in order, with their offsets, in pieces of one voice', () => {
    fc.assert(
      fc.property(tree, (inner) => {
        const text = `<speak>${inner}</speak>`;
        inspectSsml(text, LIMITS);
        let [pieceEnd, wordStart, wordEnd] = [0, 0, 0];
        for (const piece of read(text, { chunkLength: 100, firstPieceLength: 30 })) {
          assert.ok(piece.start >= pieceEnd && piece.end >= piece.start && piece.end <= text.length);
          pieceEnd = piece.end;
          for (const { start, end, phonemes } of piece.words) {
            assert.ok(end > start && (start >= wordEnd || (start === wordStart && end === wordEnd)));
            assert.ok(start >= piece.start && end <= piece.end);
            [wordStart, wordEnd] = [start, end];
            if (phonemes) assert.equal(text.slice(start, end), 'x');
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it('gives the words of the same text without markup', () => {
    const plain = fc.array(
      fc.constantFrom('word ', 'Mr. ', 'Smith ', '$5 ', '3/4 ', ', ', '. ', '“', '”', 'FBI ', 'é'),
      {
        maxLength: 40,
      },
    );
    fc.assert(
      fc.property(plain, (parts) => {
        const text = parts.join('');
        const words = (pieces: Piece[], shift: number) =>
          pieces.flatMap((piece) =>
            piece.words.map(({ text: said, start, end }) => [said, start - shift, end - shift]),
          );
        assert.deepEqual(words(read(`<speak>${text}</speak>`), '<speak>'.length), words(read(text), 0));
      }),
      { numRuns: 300 },
    );
  });

  it('is accepted or throws an SsmlError, and no other error', () => {
    const bits = fc.constantFrom(
      ...[
        '<',
        '>',
        '/',
        '"',
        "'",
        '&',
        ';',
        '=',
        '<s>',
        '</s>',
        '<sub alias="',
        '<!--',
        '-->',
        '<![CDATA[',
        ']]>',
        'a ',
      ],
      ...[
        '<p',
        ' xml:lang="fr"',
        '<?',
        '?>',
        '#x',
        '\0',
        '\ud800',
        '<|speaker:1|>',
        '<break time="',
        '漢',
        '</speak>',
      ],
    );
    const text = fc.oneof(
      fc.array(bits, { maxLength: 30 }).map((parts) => `<speak>${parts.join('')}</speak>`),
      fc.string({ unit: 'binary' }).map((inner) => `<speak>${inner}</speak>`),
    );
    fc.assert(
      fc.property(text, (written) => {
        try {
          inspectSsml(written, LIMITS);
        } catch (error) {
          assert.ok(error instanceof SsmlError);
          assert.ok(error.at >= 0 && error.at <= written.length);
          return;
        }
        read(written);
      }),
      { numRuns: 1500 },
    );
  });

  it('of 100,000 characters has its first piece within 5 seconds of CPU time and all pieces within 20', () => {
    const bodies = [
      '<s>A sentence with <emphasis>some</emphasis> weight &amp; 42 words.</s>'.repeat(1500),
      'word '.repeat(20_000),
      'a'.repeat(100_000),
      `<s>${'&amp;'.repeat(20_000)}</s>`,
    ];
    for (const body of bodies) {
      const text = `<speak>${body}</speak>`;
      const started = process.cpuUsage();
      inspectSsml(text, LIMITS);
      const pieces = textToPieces(text, OPTIONS);
      pieces.next();
      assert.ok(process.cpuUsage(started).user < 5e6);
      let letters = 0;
      for (const piece of pieces) {
        letters = Math.max(
          letters,
          piece.words.reduce((sum, word) => sum + word.text.length + 1, 0),
        );
      }
      assert.ok(letters <= 400, `${letters} letters in one piece`);
      assert.ok(process.cpuUsage(started).user < 20e6);
    }
  });
});

describe('long substitutions', () => {
  const sayAs = (digits: number) =>
    `<speak>A <say-as interpret-as="cardinal">${'1'.repeat(digits)}</say-as> b.</speak>`;

  it('a substitution of more than 1000 characters is rejected', () => {
    assert.throws(() => inspectSsml(sayAs(100_000), LIMITS), SsmlError);
    assert.throws(
      () => inspectSsml(`<speak><sub alias="${'a '.repeat(600)}">x</sub></speak>`, LIMITS),
      SsmlError,
    );
    assert.throws(
      () =>
        inspectSsml(
          `<speak><say-as interpret-as="digits">${'1<!---->'.repeat(2000)}</say-as></speak>`,
          LIMITS,
        ),
      SsmlError,
    );
  });

  it('the words of one long expression are divided into pieces that an engine can synthesize', () => {
    const pieces = read(sayAs(900));
    let end = 0;
    for (const piece of pieces) {
      assert.ok(piece.words.length <= 160, `${piece.words.length} words in one piece`);
      assert.ok(piece.start >= end && piece.end >= piece.start);
      end = piece.end;
    }
    assert.equal(pieces.flatMap(({ words }) => words).length, 902);
  });
});
