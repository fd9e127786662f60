const PRIMARY = 'ˈ';
const SECONDARY = 'ˌ';
const VOWELS = /[AIOQWYaeiouæɐɑɒɔəɛɜɪʊʌᵻᵊ]/;

const isStressed = (phonemes: string) => phonemes.includes(PRIMARY) || phonemes.includes(SECONDARY);

/** Puts a mark before the first vowel, where Kokoro's training text has it; no vowel, no mark. */
function markFirstVowel(phonemes: string, mark: string): string {
  const at = phonemes.search(VOWELS);
  return at === -1 ? phonemes : phonemes.slice(0, at) + mark + phonemes.slice(at);
}

/** Gives a word without any stress a secondary one, as a capital letter does. */
export function lift(phonemes: string): string {
  return isStressed(phonemes) ? phonemes : markFirstVowel(phonemes, SECONDARY);
}

/** Makes sure that the word has a primary stress, as one in capitals has. */
export function emphasize(phonemes: string): string {
  if (phonemes.includes(PRIMARY)) return phonemes;
  if (phonemes.includes(SECONDARY)) return phonemes.replaceAll(SECONDARY, PRIMARY);
  return markFirstVowel(phonemes, PRIMARY);
}

/** Turns the primary stress into the only secondary one: how the lesser part of a compound is said. */
export function demote(phonemes: string): string {
  if (!phonemes.includes(PRIMARY)) return phonemes;
  return phonemes.replaceAll(SECONDARY, '').replaceAll(PRIMARY, SECONDARY);
}

/** Letter names said as one word: the last one carries the primary stress, the others a secondary one. */
export function stressLetters(letters: readonly string[]): string[] {
  const last = letters.length - 1;
  return letters.map((letter, index) => {
    const plain = lift(demote(letter));
    return index === last ? plain.replace(SECONDARY, PRIMARY) : plain;
  });
}

/** Whether the word has a primary stress. */
export function hasPrimaryStress(phonemes: string): boolean {
  return phonemes.includes(PRIMARY);
}

/** How heavy a part of a compound is: its length, with diphthongs and affricates counted twice. */
export function stressWeight(phonemes: string): number {
  let weight = 0;
  for (const symbol of phonemes) weight += 'AIOQWYʤʧ'.includes(symbol) ? 2 : 1;
  return weight;
}
