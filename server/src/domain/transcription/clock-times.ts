import type { AsrWord } from '../engines/asr-engine.ts';

/** A time of day with a full stop: "6.40", or "6.40pm" in one word. */
const DOTTED_TIME = /^(\d{1,2})\.([0-5]\d)(?=$|[ap]\.?m)/i;
const MERIDIEM = /^[ap]\.?m\b/i;
const HOURS_MAX = 12;

/** Writes English times of day with a colon: "6.40 PM" becomes "6:40 PM". Returns the same array without any. */
export function writeClockTimes(words: readonly AsrWord[], language: string): readonly AsrWord[] {
  if (language !== 'en') return words;
  let isChanged = false;
  const written = words.map((word, index) => {
    const match = DOTTED_TIME.exec(word.text);
    if (match === null) return word;
    const [time, hours, minutes] = match;
    const rest = word.text.slice(time.length);
    const hasMeridiem = MERIDIEM.test(rest === '' ? (words[index + 1]?.text ?? '') : rest);
    if (!hasMeridiem || Number(hours) < 1 || Number(hours) > HOURS_MAX) return word;
    isChanged = true;
    return { ...word, text: `${hours}:${minutes}${rest}` };
  });
  return isChanged ? written : words;
}
