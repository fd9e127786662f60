const VOWEL = 'AIOQWYaiuæɑɒɔəɛɜɪʊʌᵻ';
const SYLLABIC_N = `ən(?![${VOWEL}ˈˌ])`;

type Rules = readonly (readonly [RegExp, string])[];

/** Vowels before r. */
const BEFORE_R: Rules = [
  [/(?<![ˈˌ])ɜɹ/gu, 'əɹ'],
  [/iɹ/gu, 'ɪɹ'],
  [/uɹ/gu, 'ʊɹ'],
  [/æɹ/gu, 'ɛɹ'],
  [/([IW])ɹ/gu, '$1əɹ'],
];

/** Allophones. */
const ALLOPHONES: Rules = [
  // A t between vowels is flapped, but not before a syllabic n.
  [new RegExp(`(?<=[${VOWEL}ɹ])t(?=(?!${SYLLABIC_N})[${VOWEL}])`, 'gu'), 'T'],
  // Syllabic l and n.
  [new RegExp(`(?<=[bdfhjkmnpstvzðŋɡTʃʒʤʧθ])əl(?![${VOWEL}ˈˌj])`, 'gu'), 'ᵊl'],
  [new RegExp(`(?<=[dst])${SYLLABIC_N}`, 'gu'), 'ᵊn'],
];

/**
 * Differences in transcription between the CMU dictionary and Kokoro's training text for the same American English.
 * The rules apply in order.
 */
const CONVENTIONS: Rules = [
  ...BEFORE_R,
  // One primary stress; none on weak prefixes and final vowels; a stressed schwa is another vowel.
  [/ˈ(?=.*ˈ)/gu, 'ˌ'],
  [/ˌi$/u, 'i'],
  [/ˌO(?=z?$)/u, 'O'],
  [/^ˌ(?=[ɪə][nm][^ˈˌ]*ˈ)/u, ''],
  [/([ˈˌ])ə(?!ɹ)/gu, '$1ʌ'],
  [/^ən(?=[^ˈˌ]*ˈ)/u, 'ˌʌn'],
  // Weak vowels.
  [/^([bdɹ])[ɪi](?=[bdfhklmnpstvzɡʤʧʃθɹ]+ˈ)/u, '$1ə'],
  [/^ɪ(?=[bdflpstvzʤʧʃθɹ][lɹ]?ˈ)/u, 'ə'],
  [/^[əɛ]k(?=s[ptk]|s[^ˈˌ]?ˈ)/u, 'ɪk'],
  [/^[əɛ]ɡz/u, 'ɪɡz'],
  [/^ɛ(?=n[^ˈˌ]+ˈ)/u, 'ɪ'],
  [new RegExp(`(?<=[^ˈˌ])(?<!^)ɪ(?=[bdklmnst][${VOWEL}ˈˌ])`, 'gu'), 'ə'],
  [/[ɪə]kli$/u, 'əkᵊli'],
  [/ju(?=ə|ˌA)/gu, 'jəw'],
  [/([ʧʤʃ])u(?=[əAˌˈ])/gu, '$1əw'],
  // Endings.
  [/(?<=[szʃʒʧʤ])[ɪə]z$/u, 'ᵻz'],
  [/(?<=[td])[ɪə]d$/u, 'ᵻd'],
  ...ALLOPHONES,
];

/** Converts a CMU pronunciation in Kokoro's symbols to the transcription style of Kokoro's training text. */
export function convertCmuStyle(phonemes: string): string {
  return applyRules(CONVENTIONS, phonemes);
}

/** Applies American allophones in Kokoro's symbols; stress and other vowels are unchanged. */
export function applyAllophones(phonemes: string): string {
  return applyRules([...BEFORE_R, ...ALLOPHONES], phonemes);
}

function applyRules(rules: Rules, phonemes: string): string {
  return rules.reduce((styled, [pattern, replacement]) => styled.replace(pattern, replacement), phonemes);
}
