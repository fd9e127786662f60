/** A part of a run of text, and how long it takes to say beside the others. */
export interface UnspacedSegment {
  readonly start: number;
  readonly end: number;
  readonly relativeDuration: number;
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u;
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}ー]/u;
/** Small kana change the sound before them and take no time of their own; small tsu takes its own. */
const SMALL_KANA = /[ぁぃぅぇぉゃゅょゎァィゥェォャュョヮ]/u;
const FIGURE = /\d/;

const japaneseWords = new Intl.Segmenter('ja', { granularity: 'word' });

/**
 * Parts a run of a script without spaces into what a reader points at: characters in Chinese, words in
 * Japanese. Other text is one part. Offsets are those of the run.
 */
export function segmentUnspaced(run: string): UnspacedSegment[] {
  if (run.length < 2 || !UNSPACED.test(run)) return [{ start: 0, end: run.length, relativeDuration: 1 }];
  return KANA.test(run) ? japaneseParts(run) : chineseParts(run);
}

function japaneseParts(run: string): UnspacedSegment[] {
  return Array.from(japaneseWords.segment(run), ({ segment, index }) => ({
    start: index,
    end: index + segment.length,
    relativeDuration: Array.from(segment).reduce((sum, character) => sum + moraOf(character), 0),
  }));
}

/** About how many beats a character is said in. */
function moraOf(character: string): number {
  if (SMALL_KANA.test(character)) return 0.1;
  if (KANA.test(character)) return 1;
  return FIGURE.test(character) ? 3 : 1.8;
}

/** Character by character, but figures and Latin words whole. */
function chineseParts(run: string): UnspacedSegment[] {
  const parts: UnspacedSegment[] = [];
  for (const match of run.matchAll(/[\d.,:%]+|[\p{Script=Latin}'-]+|./gsu)) {
    const start = match.index;
    const relativeDuration = FIGURE.test(match[0]) ? 1.5 * match[0].length : 1;
    parts.push({ start, end: start + match[0].length, relativeDuration });
  }
  return parts;
}
