/** A text that is expensive for a naive front end, in any length. */
export interface HostileText {
  readonly name: string;
  /** Creates the text; its length is `length` characters, or slightly less where elements must be complete. */
  readonly generate: (length: number) => string;
}

/** Repeated without a separator. Includes incomplete, unbalanced and nested markup. */
const CUES = [
  ...[
    '[sad]',
    '[sad] ',
    '(sad)',
    '(sad) ',
    '[very sad][happy]',
    '(very sad)(happy)',
    '[not sad]',
    '[neutral]',
  ],
  ...[
    '[long pause]',
    '(long pause) ',
    '(break)',
    '[laughing]',
    '(laughing) ',
    '[sigh] a ',
    '[emphasis]',
    '[posh]',
  ],
  ...[
    '[sad',
    'sad]',
    '[[sad]]',
    '[',
    ']',
    '(',
    ')',
    '([',
    '[(',
    '([)]',
    '[a b c d e f g]',
    '[12]',
    '[^1]',
    '[]',
  ],
  ...[
    '[x](http://a)',
    '](',
    '[x](',
    '](http://a',
    '[sad]a',
    'a[sad]',
    '[sad].',
    '[sad]\n',
    '【sad】',
    '（sad）',
  ],
];
const TAGS = [
  ...[
    '<|speaker:1|>',
    '<|speaker:0|>',
    '<|speaker:0|>Hi.',
    '<|speaker:0|> ',
    '<|speaker:',
    '<|speaker:9999|>x',
  ],
  ...['<|', '|>', '<||>', '<|a|>', '<|speaker:0|>[sad]', '<|phoneme_start|>', '<|phoneme_end|>'],
  ...[
    '<|phoneme_start|>HH AH0<|phoneme_end|>',
    '<|phoneme_start|>HH AH0 <|phoneme_end|> ',
    '<|phoneme_start|>a ',
  ],
  ...[
    '<',
    '>',
    '<a>',
    '<a ',
    '</a>',
    "<a b='",
    '<!--',
    '<!---->',
    '<a@b>',
    '<a@',
    '<http://',
    '<a:// ',
    '<speak>',
  ],
];
const ENTITIES = ['&', '&amp;', '&#', '&#x', '&#65;', '&;', '&#1234567;', '&#x10ffff;', '&nbsp;', '&amp'];
const PUNCTUATION = [
  ...[
    "'",
    '"',
    '.',
    ',',
    ';',
    ':',
    '!',
    '?',
    '…',
    '-',
    '–',
    '—',
    '/',
    '\\',
    '*',
    '_',
    '~',
    '#',
    '@',
    '%',
    '^',
  ],
  ...[
    '+',
    '=',
    '|',
    '{',
    '}',
    '$',
    '€',
    '°',
    '½',
    '²',
    '“',
    '”',
    '«',
    '。',
    '、',
    '，',
    '. ',
    '.\n',
    '?!',
    "')",
    '-.',
  ],
  ...['``', '~~', '**', '* ', '- ', '# ', '> ', '" ', '" "', "' '", '( )', '[ ]'],
];
const SPACES = [
  ' ',
  '\n',
  '\r\n',
  '\t',
  '\u00a0',
  '\u200b',
  '\n\n',
  ' \n',
  '\u2028',
  '\u3000',
  '\v',
  '\ufeff',
  '\0',
];
const NUMBERS = [
  ...[
    '1',
    '0',
    '9',
    '1 ',
    '1,',
    '1.',
    '1-',
    '1/',
    '1:',
    '12:34',
    '1,000,',
    '1e9',
    '$1',
    '$1 ',
    '1%',
    '1st',
    '0x1',
  ],
  ...[
    '+1',
    '555-1234 ',
    '1.1.1.1.',
    '2024-01-01',
    '1/2',
    '1/2 ',
    '3 p.m. ',
    '1 000 ',
    '5km',
    '5 km ',
    'v1.2.',
    'I',
  ],
  ...[
    'IV ',
    'MCMX ',
    '1’000',
    '½1',
    '१',
    '٣',
    '１',
    '①',
    '10^',
    '-1',
    '1–',
    '(555) ',
    '#1',
    '1x',
    'a1',
    'A1-',
  ],
];
const WORDS = [
  ...[
    'a',
    'A',
    'a.',
    'A.',
    "a'",
    'a-',
    'A-',
    'aA',
    'a_',
    'a@',
    'a@b.',
    'http://a.',
    'www.a.',
    'a/',
    'U.S.',
    'e.g.',
  ],
  ...[
    'Mr. ',
    'Mr.',
    'St.',
    'St. ',
    'word ',
    'word\n',
    'Word. ',
    'word, ',
    'a b ',
    'A B ',
    'Jan. ',
    'Mon ',
    'and/or ',
  ],
  ...[
    'http://a/b?c=',
    'a.b@c.d ',
    'C:\\a\\',
    '/a/b',
    'a:b:',
    'USA',
    'FBIs ',
    "o'",
    "'tis ",
    'ﬁ',
    'ß',
    'ŉ',
    'İ',
    'ǅ',
  ],
];
const SCRIPTS = [
  ...[
    '😀',
    '👨‍👩‍👧‍👦',
    '👍🏽',
    '🇫🇷',
    '🇫',
    '\u200d',
    'a\u0301',
    '\u0301',
    'a\u0301\u0302\u0303\u0304',
    '\u20e3',
    '1\ufe0f\u20e3',
  ],
  ...[
    '\u202e',
    '\u202ea',
    'א',
    'ع',
    'ก',
    'ก็',
    '一',
    '一二三',
    '1一',
    '一。',
    '一a',
    'あ',
    'ア',
    'ｶﾞ',
    'ー',
    '々',
    '漢字かな',
  ],
  ...[
    '한',
    'ᄀ',
    'क्',
    'क ',
    '।',
    'ﷺ',
    '㍿',
    '㎏',
    '𝐚',
    '𝟏',
    '\ud800',
    '\udc00',
    '\udc00\ud800',
    '\u{e0100}',
    'Ⰰ',
    'Ω',
    'ж',
  ],
];
/** Repeated inside `<speak>`. */
const SSML_UNITS = [
  ...[
    '<break time="10s"/>',
    '<break/>',
    '<break time="10s"/>a ',
    '<mark name="a"/>',
    '<p>a</p>',
    '<s>a</s>',
    '<p/>',
  ],
  ...[
    '<s/>',
    '<p><s>a</s></p>',
    '<emphasis>a</emphasis>',
    '<prosody rate="fast">a</prosody>',
    '<prosody pitch="+1st"/>',
  ],
  ...[
    '<sub alias="b">a</sub>',
    '<sub alias="">a</sub>',
    '<say-as interpret-as="cardinal">1</say-as>',
    '&amp;',
    '&#65;',
  ],
  ...[
    '<say-as interpret-as="expletive">a</say-as>',
    '<phoneme ph="a">b</phoneme>',
    '<phoneme ph="a"/>',
    '.',
    ' ',
    'a ',
  ],
  ...[
    '<voice name="af_heart">a</voice>',
    '<lang xml:lang="fr">a</lang>',
    '<lang xml:lang="fr">a</lang>b ',
    '[sad]',
  ],
  ...[
    '<!-- x -->',
    '<!---->',
    '<![CDATA[a]]>',
    '<![CDATA[]]>',
    '<?a?>',
    '1',
    '(laughing)',
    '\n',
    "'",
    '<emphasis/>',
  ],
];
const INTERPRETATIONS = [
  ...[
    'characters',
    'cardinal',
    'ordinal',
    'digits',
    'date',
    'time',
    'telephone',
    'currency',
    'fraction',
    'unit',
  ],
  'expletive',
];
const SSML_DEPTH = 30;

const repeat = (unit: string, length: number) =>
  unit.repeat(Math.ceil(Math.max(0, length) / unit.length)).slice(0, Math.max(0, length));
/** Complete units only. */
const repeatComplete = (unit: string, length: number) =>
  unit.repeat(Math.max(1, Math.floor(length / unit.length)));
const surround = (before: string, inner: string, after: string, length: number) =>
  before + repeat(inner, length - before.length - after.length) + after;
const speak = (unit: string, length: number) => `<speak>${repeatComplete(unit, length - 15)}</speak>`;
const quoted = (unit: string) => JSON.stringify(unit).slice(1, -1);

const REPEATED: readonly HostileText[] = [
  ...CUES,
  ...TAGS,
  ...ENTITIES,
  ...PUNCTUATION,
  ...SPACES,
  ...NUMBERS,
  ...WORDS,
  ...SCRIPTS,
].map((unit) => ({ name: `${quoted(unit)} repeated`, generate: (length) => repeat(unit, length) }));

/** Text without words between two words: all of it is processed for one phrase. */
const BETWEEN_WORDS: readonly HostileText[] = [
  ...CUES.slice(0, 24),
  ...TAGS.slice(5, 11),
  ...ENTITIES.slice(0, 3),
  ...PUNCTUATION.slice(0, 24),
  ...SPACES,
].map((unit) => ({
  name: `${quoted(unit)} between two words`,
  generate: (length) => surround('One ', unit, ' two.', length),
}));

const SSML: readonly HostileText[] = [
  ...SSML_UNITS.map((unit) => ({
    name: `SSML: ${quoted(unit)} repeated`,
    generate: (length: number) => speak(unit, length),
  })),
  ...SSML_UNITS.map((unit) => ({
    name: `SSML: ${quoted(unit)} between two words`,
    generate: (length: number) =>
      speak(unit, length - 9)
        .replace('<speak>', '<speak>One ')
        .replace('</speak>', ' two.</speak>'),
  })),
  ...INTERPRETATIONS.flatMap((interpretation) =>
    ['1', '1 ', 'a', '-', '1<!---->'].map((unit) => ({
      name: `SSML: say-as ${interpretation} of ${quoted(unit)} repeated`,
      generate: (length: number) =>
        surround(`<speak>A <say-as interpret-as="${interpretation}">`, '', '', 0) +
        repeatComplete(unit, length - 70) +
        '</say-as></speak>',
    })),
  ),
  ...[
    '<p>',
    '<s>',
    '<prosody rate="fast">',
    '<emphasis>',
    '<voice name="af_heart">',
    '<lang xml:lang="fr">',
  ].flatMap((open): HostileText[] => {
    const close = `</${/\w+/.exec(open)![0]}>`;
    const nested = `${open.repeat(SSML_DEPTH)}a ${close.repeat(SSML_DEPTH)}`;
    return [
      { name: `SSML: ${open} never closed`, generate: (length) => `<speak>${repeat(open, length - 7)}` },
      {
        name: `SSML: ${open} nested ${SSML_DEPTH} deep, repeated`,
        generate: (length) => speak(nested, length),
      },
      {
        name: `SSML: ${open} nested to any depth`,
        generate: (length) => {
          const depth = Math.max(1, Math.floor((length - 16) / (open.length + close.length)));
          return `<speak>${open.repeat(depth)}a${close.repeat(depth)}</speak>`;
        },
      },
    ];
  }),
  ...['a', ' ', '&amp;', '[sad]', '1', '.', '(', 'b c ', "'"].flatMap((unit): HostileText[] => [
    {
      name: `SSML: alias of ${quoted(unit)} repeated`,
      generate: (length) => `<speak><sub alias="${repeatComplete(unit, length - 40)}">x</sub></speak>`,
    },
    {
      name: `SSML: phonemes of ${quoted(unit)} repeated`,
      generate: (length) => `<speak><phoneme ph="${repeatComplete(unit, length - 45)}">x</phoneme></speak>`,
    },
  ]),
  ...[
    ['many attributes', '<speak ', 'a="b" ', '>x</speak>'],
    ['spaces in a tag', '<speak', ' ', '>x</speak>'],
    ['a long attribute', '<speak version="', 'a', '">x</speak>'],
    ['a long language', '<speak xml:lang="', 'a-', '">x</speak>'],
    ['a long mark name', '<speak>a <mark name="', 'a', '"/></speak>'],
    ['a long voice name', '<speak><voice name="', 'a', '">x</voice></speak>'],
    ['a comment without end', '<speak>a<!--', '-', ''],
    ['a CDATA section without end', '<speak>a<![CDATA[', ']', ''],
    ['many comments before the root', '', '<!-- -->', '<speak>a</speak>'],
    ['spaces before the root', '', ' ', '<speak>a</speak>'],
    ['spaces after the root', '<speak>a</speak>', ' ', ''],
    ['angle brackets', '<speak>', '<', '</speak>'],
    ['closing tags only', '<speak>a', '</p>', '</speak>'],
    ['an unclosed attribute', '<speak a="', 'a', ''],
    ['an element name', '<speak><', 'a', '/></speak>'],
    ['an XML declaration', '<?xml ', 'a', '?><speak>a</speak>'],
  ].map(([name, before = '', unit = '', after = '']) => ({
    name: `SSML: ${name}`,
    generate: (length: number) => surround(before, unit, after, length),
  })),
];

const STRUCTURED: readonly HostileText[] = [
  ...[
    ['one cue of letters', '[', 'a', ']'],
    ['one cue of words', '[', 'sad ', ']'],
    ['one cue of degree adverbs', '[', 'very ', ']'],
    ['one cue in parentheses', '(', 'very ', 'sad)'],
    ['one cue of spaces', '[', ' ', 'sad]'],
    ['one link', '[x](http://', 'a', ')'],
    ['one phoneme span', '<|phoneme_start|>', 'AH0 ', '<|phoneme_end|>'],
    ['one phoneme span of spaces', '<|phoneme_start|>', ' ', '<|phoneme_end|>'],
    ['one phoneme span of IPA', '<|phoneme_start|>', 'ə', '<|phoneme_end|>'],
    ['one tag', '<|', 'a', '|>'],
    ['one speaker number', '<|speaker:', '1', '|>Hi.'],
    ['one address', 'See http://', 'a.', 'com now.'],
    ['one mail address', 'Write to ', 'a.', '@example.com now.'],
    ['one mail domain', 'Write to a@', 'b.', 'com now.'],
    ['one quotation', 'He said “', 'a ', '” twice.'],
    ['one sentence', 'The ', 'word ', 'ends.'],
    ['one sentence of commas', 'The ', 'word, ', 'ends.'],
    ['one number', 'It costs ', '1', ' dollars.'],
    ['one amount', 'It costs $', '1', '.00.'],
    ['one amount with groups', 'It costs $', '1,', '000.'],
    ['one decimal', 'Pi is 3.', '1', ' or so.'],
    ['one telephone number', 'Call +', '1 ', 'now.'],
    ['one telephone number with hyphens', 'Call 555', '-1', ' now.'],
    ['one version', 'Use v1', '.2', ' now.'],
    ['one path', 'Open ', '/a', ' now.'],
    ['one identifier', 'Open ', 'a_B', ' now.'],
    ['one acronym', 'The ', 'A', ' said.'],
    ['one acronym with stops', 'The ', 'A.', ' said.'],
    ['one fraction', 'Take ', '1/', '2 now.'],
    ['one Roman numeral', 'Louis ', 'X', ' ruled.'],
    ['one word', 'The ', 'a', ' is long.'],
    ['one hyphenated word', 'The ', 'a-', 'b is long.'],
    ['one word with combining marks', 'The a', '\u0301', ' is long.'],
    ['one ZWJ sequence', 'The ', '👩\u200d', 'is long.'],
    ['a table', '', '| a | b |\n', ''],
    ['a list', '', '- a\n', ''],
    ['a numbered list', '', '1. a\n', ''],
    ['a wrapped paragraph', '', `${'word '.repeat(14)}\n`, ''],
    ['verse', '', 'word word\n', ''],
    ['dialogue', '', '<|speaker:0|>Hi.\n[sad]Oh. ', ''],
    ['dates', '', 'on Jan. 5th, 2024 at 3:30 p.m. ', ''],
    ['Chinese numbers', '', '2024年1月5日', ''],
    ['Japanese sentence', '', '東京は3月です', '。'],
    ['Hindi numbers', '', '१२३ रुपये ', ''],
  ].map(([name, before = '', unit = '', after = '']) => ({
    name: name!,
    generate: (length: number) => surround(before, unit, after, length),
  })),
  ...['[]', '()', '<>', '{}', '“”', '【】'].flatMap(([open = '', close = '']): HostileText[] => [
    {
      name: `nested ${open}${close}`,
      generate: (length) => `${open.repeat(length / 2 - 2)}sad${close.repeat(length / 2 - 2)}`,
    },
    {
      name: `nested ${open}${close} around words`,
      generate: (length) => {
        const depth = Math.floor(length / 8);
        return `${open}sad `.repeat(depth) + `${close} a`.repeat(depth);
      },
    },
  ]),
];

/** Units of several groups in an order given by `index`. */
function mixture(index: number): HostileText {
  const random = lcg(index);
  const groups = [CUES, TAGS, ENTITIES, PUNCTUATION, SPACES, NUMBERS, WORDS, SCRIPTS];
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)]!;
  const unit = Array.from({ length: 4 + (index % 9) }, () => pick(pick(groups))).join('');
  return { name: `mixture ${index}: ${quoted(unit)}`, generate: (length) => repeat(unit, length) };
}

/** Deterministic pseudo-random numbers in [0, 1). */
function lcg(seed: number): () => number {
  let state = (seed * 2654435761 + 12345) >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** All generators. */
export const HOSTILE_TEXTS: readonly HostileText[] = [
  ...REPEATED,
  ...BETWEEN_WORDS,
  ...STRUCTURED,
  ...SSML,
  ...Array.from({ length: 40 }, (_, index) => mixture(index)),
];
