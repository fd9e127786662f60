/** Word index of each phoneme, in ascending order. */
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
 * Aligns words with phonemes that were joined across word boundaries, by edit distance. `expected` holds the phonemes
 * of each word in isolation; `actual` is connected speech, with merging, liaison and weak forms.
 */
export function alignWords(
  expected: readonly (readonly string[])[],
  actual: readonly string[],
): WordOfPhoneme {
  const reference: { readonly phoneme: string; readonly word: number }[] = [];
  expected.forEach((phonemes, word) => {
    for (const phoneme of phonemes) reference.push({ phoneme: bare(phoneme), word });
  });
  const spoken = actual.map(bare);
  if (reference.length === 0) return spoken.map(() => 0);

  const width = spoken.length + 1;
  const cost = new Float32Array((reference.length + 1) * width);
  for (let column = 1; column < width; column++) cost[column] = column * GAP;
  for (let row = 1; row <= reference.length; row++) {
    cost[row * width] = row * GAP;
    for (let column = 1; column < width; column++) {
      const replace =
        cost[(row - 1) * width + column - 1]! +
        substitutionCost(reference[row - 1]!.phoneme, spoken[column - 1]!);
      const skip = cost[(row - 1) * width + column]! + GAP;
      const insert = cost[row * width + column - 1]! + GAP;
      cost[row * width + column] = Math.min(replace, skip, insert);
    }
  }

  const words = new Array<number>(spoken.length).fill(0);
  let row = reference.length;
  let column = spoken.length;
  while (column > 0) {
    const here = cost[row * width + column]!;
    const matched =
      row > 0 &&
      here ===
        Math.fround(
          cost[(row - 1) * width + column - 1]! +
            substitutionCost(reference[row - 1]!.phoneme, spoken[column - 1]!),
        );
    if (matched) {
      words[column - 1] = reference[row - 1]!.word;
      row--;
      column--;
    } else if (row > 0 && here === Math.fround(cost[(row - 1) * width + column]! + GAP)) {
      row--;
    } else {
      // An inserted phoneme (a liaison, a linking r) belongs to the preceding word.
      words[column - 1] = reference[Math.max(0, row - 1)]!.word;
      column--;
    }
  }
  return words;
}
