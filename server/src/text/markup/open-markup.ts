/**
 * Unclosed markup at the end of a text: cues, tags, phoneme spans. Each pattern has a maximum length, so that a
 * bracket that is never closed delays the text only for a limited time.
 */
const OPEN_MARKUP: readonly RegExp[] = [
  /[(（]\s{0,3}[a-z][a-z -]{0,44}$/i,
  /[[［【][^[\]［］【】\n]{0,90}$/,
  /<\|[^<>|]{0,64}\|?$/,
  /<\|phoneme_start\|>(?:(?!<\|phoneme_end\|>)[^\n]){0,220}$/i,
  /<[/!a-z](?:[^<>]{0,300})$/i,
];

/** More than the longest match of a pattern. */
const TAIL_CHARS = 340;

/** Whether an incomplete text may end inside a cue or a tag. */
export function endsInsideMarkup(text: string): boolean {
  const tail = text.slice(-TAIL_CHARS);
  return OPEN_MARKUP.some((pattern) => pattern.test(tail));
}
