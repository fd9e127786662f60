/** An espeak voice for each script an English text may quote a word in. */
const VOICES: readonly (readonly [RegExp, string])[] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 'ja'],
  [/\p{Script=Han}/u, 'cmn'],
  [/\p{Script=Hangul}/u, 'ko'],
  [/\p{Script=Cyrillic}/u, 'ru'],
  [/\p{Script=Greek}/u, 'el'],
  [/\p{Script=Devanagari}/u, 'hi'],
  [/\p{Script=Arabic}/u, 'ar'],
  [/\p{Script=Hebrew}/u, 'he'],
];

/**
 * The voice to read a word of another script with; undefined for Latin letters. Without it espeak would
 * name the letters one by one, or say "Chinese letter" for each.
 */
export function voiceOfScript(word: string): string | undefined {
  if (/\p{Script=Latin}/u.test(word)) return undefined;
  return VOICES.find(([script]) => script.test(word))?.[1];
}
