/** A segment of a run of text, with its duration relative to the other segments. */
export interface UnspacedSegment {
  readonly start: number;
  readonly end: number;
  readonly relativeDuration: number;
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u;
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}ー]/u;
/** Small kana modify the preceding mora and have no duration of their own; small tsu has one. */
const SMALL_KANA = /[ぁぃぅぇぉゃゅょゎァィゥェォャュョヮ]/u;
const DIGIT = /\d/;

/** Created when it is first needed: its dictionary takes memory. */
let japaneseWords: Intl.Segmenter | undefined;

/**
 * Segments a run of a script without spaces: Chinese into characters, Japanese into words. Other text is one
 * segment. Offsets are relative to the run.
 */
export function segmentUnspaced(run: string): UnspacedSegment[] {
  if (run.length < 2 || !UNSPACED.test(run)) return [{ start: 0, end: run.length, relativeDuration: 1 }];
  return KANA.test(run) ? segmentJapanese(run) : segmentChinese(run);
}

function segmentJapanese(run: string): UnspacedSegment[] {
  japaneseWords ??= new Intl.Segmenter('ja', { granularity: 'word' });
  return Array.from(japaneseWords.segment(run), ({ segment, index }) => ({
    start: index,
    end: index + segment.length,
    relativeDuration: Array.from(segment).reduce((sum, character) => sum + estimateMorae(character), 0),
  }));
}

/** Estimates the number of morae of a character. */
function estimateMorae(character: string): number {
  if (SMALL_KANA.test(character)) return 0.1;
  if (KANA.test(character)) return 1;
  return DIGIT.test(character) ? 3 : 1.8;
}

/** One segment per character; digits and Latin words are not split. */
function segmentChinese(run: string): UnspacedSegment[] {
  const parts: UnspacedSegment[] = [];
  for (const match of run.matchAll(/[\d.,:%]+|[\p{Script=Latin}'-]+|./gsu)) {
    const start = match.index;
    const relativeDuration = DIGIT.test(match[0]) ? 1.5 * match[0].length : 1;
    parts.push({ start, end: start + match[0].length, relativeDuration });
  }
  return parts;
}
