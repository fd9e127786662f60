import { type CueStyle, findCue, findPhonemeSpan } from '../markup/cues.ts';

/** Writing systems that are distinguished. */
export type Script =
  | 'Latin'
  | 'Han'
  | 'Kana'
  | 'Devanagari'
  | 'Cyrillic'
  | 'Arabic'
  | 'Hangul'
  | 'Thai'
  | 'Greek'
  | 'Hebrew'
  | 'other';

const SCRIPTS: readonly (readonly [Script, RegExp])[] = [
  ['Latin', /\p{Script=Latin}/u],
  ['Han', /\p{Script=Han}/u],
  ['Kana', /[\p{Script=Hiragana}\p{Script=Katakana}]/u],
  ['Devanagari', /\p{Script=Devanagari}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Arabic', /\p{Script=Arabic}/u],
  ['Hangul', /\p{Script=Hangul}/u],
  ['Thai', /\p{Script=Thai}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Hebrew', /\p{Script=Hebrew}/u],
];
const LETTER = /\p{L}/u;
const SAMPLE_LENGTH = 2000;
/** The tags of markup begin with `<|`. */
const SPEECH_OR_MARKUP = /[\p{L}\p{N}([]|<(?=\|)/gu;
const MARKUP_START = /[([<]/;

/** Whether a text contains a letter or digit outside of cues, or a phoneme span. Stops at the first one. */
export function hasSpeech(text: string, cueStyle: CueStyle = 'both'): boolean {
  for (let at = 0; ; ) {
    SPEECH_OR_MARKUP.lastIndex = at;
    const found = SPEECH_OR_MARKUP.exec(text);
    if (!found) return false;
    if (!MARKUP_START.test(found[0]) || findPhonemeSpan(text, found.index)) return true;
    at = findCue(text, found.index, cueStyle)?.end ?? found.index + 1;
  }
}

/**
 * The most frequent script among the first 2000 characters; undefined without letters. A text with at least 10 % kana
 * among its kana and Han characters is Japanese and gives `Kana`.
 */
export function dominantScript(text: string): Script | undefined {
  const counts = new Map<Script, number>();
  let letters = 0;
  let basicLetters = 0;
  for (let at = 0; at < text.length && at < SAMPLE_LENGTH; ) {
    const code = text.charCodeAt(at);
    if (isBasicLatinLetter(code)) {
      // The order of the first letters decides between equal counts.
      if (basicLetters++ === 0 && !counts.has('Latin')) counts.set('Latin', 0);
      at++;
      continue;
    }
    const markup = findPhonemeSpan(text, at) ?? findCue(text, at, 'both');
    if (markup) {
      at = markup.end;
      continue;
    }
    const character = code < 128 ? undefined : String.fromCodePoint(text.codePointAt(at)!);
    at += character?.length ?? 1;
    if (character === undefined || !LETTER.test(character)) continue;
    const script = SCRIPTS.find(([, pattern]) => pattern.test(character))?.[0] ?? 'other';
    counts.set(script, (counts.get(script) ?? 0) + 1);
    letters++;
  }
  if (basicLetters > 0) counts.set('Latin', (counts.get('Latin') ?? 0) + basicLetters);
  letters += basicLetters;
  if (letters === 0) return undefined;
  const kana = counts.get('Kana') ?? 0;
  const han = counts.get('Han') ?? 0;
  if (kana > 0 && kana >= (kana + han) / 10 && kana + han > letters / 2) return 'Kana';
  return [...counts].reduce((most, entry) => (entry[1] > most[1] ? entry : most))[0];
}

/** Letters of most texts; without regular expressions, which take most of the time of `dominantScript`. */
function isBasicLatinLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
}
