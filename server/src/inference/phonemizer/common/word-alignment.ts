/** Which word each phoneme belongs to: never going backwards, one entry per phoneme. */
export type WordOfPhoneme = readonly number[];

const MISMATCH = 1;
const SAME_KIND = 0.5;
const GAP = 0.8;

const bare = (phoneme: string) => phoneme.replace(/[ˈˌːˑ]/g, '');
const isVowel = (phoneme: string) => /^[aeiouyæɐɑɒɔəɚɛɜɝɞɤɨɪɯɵøœʉʊʌʏᵻ]/.test(phoneme);

function substitutionCost(a: string, b: string): number {
  if (a === b) return 0;
  return isVowel(a) === isVowel(b) ? SAME_KIND : MISMATCH;
}

/**
 * Finds where the words are in phonemes that were joined across them. `expected` holds each word's
 * phonemes as it sounds alone; `actual` is the whole, where words may have merged, linked or weakened.
 */
export function alignWords(
  expected: readonly (readonly string[])[],
  actual: readonly string[],
): WordOfPhoneme {
  const wanted: { readonly phoneme: string; readonly word: number }[] = [];
  expected.forEach((phonemes, word) => {
    for (const phoneme of phonemes) wanted.push({ phoneme: bare(phoneme), word });
  });
  const heard = actual.map(bare);
  if (wanted.length === 0) return heard.map(() => 0);

  const width = heard.length + 1;
  const cost = new Float32Array((wanted.length + 1) * width);
  for (let column = 1; column < width; column++) cost[column] = column * GAP;
  for (let row = 1; row <= wanted.length; row++) {
    cost[row * width] = row * GAP;
    for (let column = 1; column < width; column++) {
      const replace =
        cost[(row - 1) * width + column - 1]! +
        substitutionCost(wanted[row - 1]!.phoneme, heard[column - 1]!);
      const skip = cost[(row - 1) * width + column]! + GAP;
      const insert = cost[row * width + column - 1]! + GAP;
      cost[row * width + column] = Math.min(replace, skip, insert);
    }
  }

  const words = new Array<number>(heard.length).fill(0);
  let row = wanted.length;
  let column = heard.length;
  while (column > 0) {
    const here = cost[row * width + column]!;
    const matched =
      row > 0 &&
      here ===
        Math.fround(
          cost[(row - 1) * width + column - 1]! +
            substitutionCost(wanted[row - 1]!.phoneme, heard[column - 1]!),
        );
    if (matched) {
      words[column - 1] = wanted[row - 1]!.word;
      row--;
      column--;
    } else if (row > 0 && here === Math.fround(cost[(row - 1) * width + column]! + GAP)) {
      row--;
    } else {
      // A sound no word has alone (a liaison, a linking r) belongs to the word before it.
      words[column - 1] = wanted[Math.max(0, row - 1)]!.word;
      column--;
    }
  }
  return words;
}
