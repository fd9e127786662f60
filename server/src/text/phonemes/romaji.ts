import { checkLength, invalid, type ParseResult } from './parse-result.ts';

/** The kana of each consonant with a, i, u, e, o; `-` if there is none. */
const ROWS: Readonly<Record<string, string>> = {
  '': 'ア イ ウ エ オ',
  k: 'カ キ ク ケ コ',
  g: 'ガ ギ グ ゲ ゴ',
  s: 'サ スィ ス セ ソ',
  z: 'ザ ズィ ズ ゼ ゾ',
  t: 'タ ティ トゥ テ ト',
  d: 'ダ ディ ドゥ デ ド',
  n: 'ナ ニ ヌ ネ ノ',
  h: 'ハ ヒ フ ヘ ホ',
  b: 'バ ビ ブ ベ ボ',
  p: 'パ ピ プ ペ ポ',
  m: 'マ ミ ム メ モ',
  y: 'ヤ - ユ イェ ヨ',
  r: 'ラ リ ル レ ロ',
  w: 'ワ ウィ ウ ウェ ウォ',
  sh: 'シャ シ シュ シェ ショ',
  j: 'ジャ ジ ジュ ジェ ジョ',
  ch: 'チャ チ チュ チェ チョ',
  ts: 'ツァ ツィ ツ ツェ ツォ',
  f: 'ファ フィ フ フェ フォ',
  v: 'ヴァ ヴィ ヴ ヴェ ヴォ',
  ky: 'キャ キ キュ キェ キョ',
  gy: 'ギャ ギ ギュ ギェ ギョ',
  ny: 'ニャ ニ ニュ ニェ ニョ',
  hy: 'ヒャ ヒ ヒュ ヒェ ヒョ',
  by: 'ビャ ビ ビュ - ビョ',
  py: 'ピャ ピ ピュ - ピョ',
  my: 'ミャ ミ ミュ - ミョ',
  ry: 'リャ リ リュ - リョ',
  ty: '- ティ テュ - -',
  dy: '- ディ デュ - -',
  kw: 'クァ クィ - クェ クォ',
  gw: 'グァ グィ - グェ グォ',
};
const VOWELS = 'aiueo';
const MORA = /(?:(N|cl)([01])?|([a-z]{0,2})([aiueoAIUEO])([01]))\s*/y;

/**
 * Converts OpenJTalk romaji with a pitch digit after each mora (`ha0shi1ga0`) to katakana morae. A repeated vowel is
 * a long vowel. The pitch digits are validated but not used: the voices determine the intonation.
 */
export function parseRomaji(written: string): ParseResult<readonly string[]> {
  const text = written.trim();
  const morae: string[] = [];
  let lastVowel = '';
  for (let at = 0; at < text.length; at = MORA.lastIndex) {
    MORA.lastIndex = at;
    const match = MORA.exec(text);
    const mora = match && katakana(match[1], match[3] ?? '', match[4]?.toLowerCase() ?? '', lastVowel);
    if (!mora) {
      return invalid(
        `romaji requires morae with a pitch digit, not ${JSON.stringify(text.slice(at, at + 12))}`,
      );
    }
    morae.push(mora);
    lastVowel = match[4]?.toLowerCase() ?? '';
  }
  return checkLength(morae);
}

function katakana(special: string | undefined, consonant: string, vowel: string, lastVowel: string): string {
  if (special === 'N') return 'ン';
  if (special === 'cl') return 'ッ';
  if (consonant === '' && vowel === lastVowel) return 'ー';
  const kana = ROWS[consonant]?.split(' ')[VOWELS.indexOf(vowel)];
  return kana === undefined || kana === '-' ? '' : kana;
}
