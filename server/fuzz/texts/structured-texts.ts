import { type HostileText, surround } from './hostile-text.ts';

/** Texts that consist of one long construct, of a pattern of lines, or of nested brackets. */
export const STRUCTURED_TEXTS: readonly HostileText[] = [
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
    ['quotation marks before a path', '', `${"'".repeat(395)}/a `, ''],
    ['quotation marks before a fraction', '', `${"'".repeat(395)}1/2 `, ''],
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
