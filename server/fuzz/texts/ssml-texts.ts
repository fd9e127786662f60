import { type HostileText, quoted, repeat, repeatComplete, surround } from './hostile-text.ts';

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

const speak = (unit: string, length: number) => `<speak>${repeatComplete(unit, length - 15)}</speak>`;

/** Documents of SSML. */
export const SSML_TEXTS: readonly HostileText[] = [
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
  ...[
    ['a long language', 'speak xml:lang="xx', '-a', '<p xml:lang="xx">a</p>'],
    ['a long language', 'speak xml:lang="en', '-a', 'a<lang xml:lang="fr">b</lang>'],
    ['a long language', 'speak xml:lang="en', '-a', 'a<s/>'],
    ['a long voice name', 'voice name="', 'a', 'a<s/>'],
  ].map(([scope = '', open = '', unit = '', inner = '']) => ({
    name: `SSML: ${inner} repeated within ${scope}`,
    generate: (length: number) => {
      const half = Math.floor(length / 2) - 40;
      const content = repeatComplete(inner, half);
      const [element] = open.split(' ');
      const scoped = `<${open}${repeatComplete(unit, half)}">${content}</${element}>`;
      return element === 'speak' ? scoped : `<speak>${scoped}</speak>`;
    },
  })),
];
