/**
 * Mark-up that may still be open at the end of a text: cues in brackets, tags, phonemes. Each as far back as
 * its longest form goes, so that a bracket that is never closed holds nothing back for long.
 */
const OPEN_MARKUP: readonly RegExp[] = [
  /[(（]\s{0,3}[a-z][a-z -]{0,44}$/i,
  /[[［【][^[\]［］【】\n]{0,90}$/,
  /<\|[^<>|]{0,64}\|?$/,
  /<\|phoneme_start\|>(?:(?!<\|phoneme_end\|>)[^\n]){0,220}$/i,
  /<[/!a-z](?:[^<>]{0,300})$/i,
];

/** Whether a text ends inside a cue or a tag, as far as one can tell before the rest has come. */
export function endsInsideMarkup(text: string): boolean {
  const tail = text.slice(-340);
  return OPEN_MARKUP.some((pattern) => pattern.test(tail));
}
