import { checkLength, invalid, type ParseResult } from './parse-result.ts';

/** Mandarin syllables without tones: the initials of each final; `-` is no initial. */
const SYLLABLES: ReadonlySet<string> = new Set(
  Object.entries({
    a: '- b p m f d t n l g k h zh ch sh z c s',
    o: '- b p m f l',
    e: '- m d t n l g k h zh ch sh r z c s',
    ai: '- b p m d t n l g k h zh ch sh z c s',
    ei: '- b p m f d t n l g k h zh sh z',
    ao: '- b p m d t n l g k h zh ch sh r z c s',
    ou: '- p m f d t n l g k h zh ch sh r z c s',
    an: '- b p m f d t n l g k h zh ch sh r z c s',
    en: '- b p m f d n g k h zh ch sh r z c s',
    ang: '- b p m f d t n l g k h zh ch sh r z c s',
    eng: '- b p m f d t n l g k h zh ch sh r z c s',
    ong: 'd t n l g k h zh ch r z c s',
    i: 'b p m d t n l j q x zh ch sh r z c s y',
    ia: 'd l j q x',
    ie: 'b p m d t n l j q x',
    iao: 'b p m d t n l j q x',
    iu: 'm d n l j q x',
    ian: 'b p m d t n l j q x',
    in: 'b p m n l j q x y',
    iang: 'n l j q x',
    ing: 'b p m d t n l j q x y',
    iong: 'j q x',
    u: 'b p m f d t n l g k h j q x zh ch sh r z c s w y',
    ua: 'g k h zh ch sh r',
    uo: 'd t n l g k h zh ch sh r z c s',
    uai: 'g k h zh ch sh',
    ui: 'd t g k h zh ch sh r z c s',
    uan: 'd t n l g k h j q x zh ch sh r z c s y',
    un: 'd t n l g k h j q x zh ch sh r z c s y',
    uang: 'g k h zh ch sh',
    ue: 'n l j q x y',
    ü: 'n l',
    üe: 'n l',
  }).flatMap(([final, initials]) =>
    initials.split(' ').map((initial) => (initial === '-' ? final : initial + final)),
  ),
);
for (const syllable of [
  ...['ya', 'ye', 'yao', 'you', 'yan', 'yang', 'yong', 'yo', 'wa', 'wo', 'wai', 'wei', 'wan', 'wen'],
  ...['wang', 'weng', 'er', 'ê', 'm', 'n', 'ng', 'hm', 'hng'],
])
  (SYLLABLES as Set<string>).add(syllable);

const SYLLABLES_MAX = 40;
const SYLLABLE = /([a-zêü]+)([0-5])\s*/uy;

/** Parses pinyin with a tone number after each syllable (`chong2 qing4`, `lv4`; 5 or 0 is the neutral tone). */
export function parsePinyin(written: string): ParseResult<readonly string[]> {
  const text = written.trim().toLowerCase().normalize('NFC').replaceAll('u:', 'ü').replaceAll('v', 'ü');
  const syllables: string[] = [];
  for (let at = 0; at < text.length; at = SYLLABLE.lastIndex) {
    SYLLABLE.lastIndex = at;
    const match = SYLLABLE.exec(text);
    if (!match) return invalid('pinyin requires a tone number from 1 to 5 after each syllable');
    if (!SYLLABLES.has(match[1]!)) return invalid(`pinyin has no syllable ${JSON.stringify(match[1])}`);
    syllables.push(match[1]! + match[2]!);
  }
  return checkLength(syllables, SYLLABLES_MAX);
}
