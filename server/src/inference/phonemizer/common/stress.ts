const PRIMARY = 'ˈ';
const SECONDARY = 'ˌ';
const VOWELS = /[AIOQWYaeiouæɐɑɒɔəɛɜɪʊʌᵻᵊ]/;

const isStressed = (phonemes: string) => phonemes.includes(PRIMARY) || phonemes.includes(SECONDARY);

/** Inserts a stress mark before the first vowel, as in Kokoro's training text; none without a vowel. */
function markFirstVowel(phonemes: string, mark: string): string {
  const at = phonemes.search(VOWELS);
  return at === -1 ? phonemes : phonemes.slice(0, at) + mark + phonemes.slice(at);
}

/** Adds a secondary stress to an unstressed word, as for a capitalized word. */
export function addSecondaryStress(phonemes: string): string {
  return isStressed(phonemes) ? phonemes : markFirstVowel(phonemes, SECONDARY);
}

/** Ensures a primary stress, as for a word in capitals. */
export function addPrimaryStress(phonemes: string): string {
  if (phonemes.includes(PRIMARY)) return phonemes;
  if (phonemes.includes(SECONDARY)) return phonemes.replaceAll(SECONDARY, PRIMARY);
  return markFirstVowel(phonemes, PRIMARY);
}

/** Replaces all stress by one secondary stress in place of the primary, for the weaker part of a compound. */
export function demotePrimaryStress(phonemes: string): string {
  if (!phonemes.includes(PRIMARY)) return phonemes;
  return phonemes.replaceAll(SECONDARY, '').replaceAll(PRIMARY, SECONDARY);
}

/** Stresses letter names as one word: primary stress on the last, secondary on the others. */
export function stressLetters(letters: readonly string[]): string[] {
  const last = letters.length - 1;
  return letters.map((letter, index) => {
    const plain = addSecondaryStress(demotePrimaryStress(letter));
    return index === last ? plain.replace(SECONDARY, PRIMARY) : plain;
  });
}

export function hasPrimaryStress(phonemes: string): boolean {
  return phonemes.includes(PRIMARY);
}

/** Stress weight of a part of a compound: its length, with diphthongs and affricates counted twice. */
export function stressWeight(phonemes: string): number {
  let weight = 0;
  for (const symbol of phonemes) weight += 'AIOQWYʤʧ'.includes(symbol) ? 2 : 1;
  return weight;
}
