/** espeak-ng voices for words in other scripts. */
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
 * The espeak-ng voice for a word in another script; undefined for Latin letters. The English voice would name each
 * letter, or say "Chinese letter".
 */
export function espeakVoiceForScript(word: string): string | undefined {
  if (/\p{Script=Latin}/u.test(word)) return undefined;
  return VOICES.find(([script]) => script.test(word))?.[1];
}
