/** What differs between the two Englishes Kokoro speaks. */
export interface EnglishAccent {
  readonly espeakVoice: string;
  /** The vowel of "-es" and "-ed" after a sound that needs one ("buses", "needed"). */
  readonly suffixVowel: string;
  /** Whether a t between vowels is flapped ("getting"). */
  readonly flaps: boolean;
  /** Whether an r is heard before a consonant or a pause. */
  readonly rhotic: boolean;
}

export const AMERICAN: EnglishAccent = {
  espeakVoice: 'en-us',
  suffixVowel: 'ᵻ',
  flaps: true,
  rhotic: true,
};

export const BRITISH: EnglishAccent = { espeakVoice: 'en', suffixVowel: 'ɪ', flaps: false, rhotic: false };

const FLAPS_AFTER = /[AIOWYiuæɑəɛɪɹʊʌ]t$/;

/** Adds the "-s" of plurals, possessives and verbs. */
export function withS(stem: string, accent: EnglishAccent): string {
  if (/[ptkfθT]$/.test(stem)) return `${stem}s`;
  if (/[szʃʒʧʤ]$/.test(stem)) return `${stem}${accent.suffixVowel}z`;
  return `${stem}z`;
}

/** Adds the "-ed" of past tenses. */
export function withEd(stem: string, accent: EnglishAccent): string {
  if (/[pkfθʃsʧ]$/.test(stem)) return `${stem}t`;
  if (stem.endsWith('d')) return `${stem}${accent.suffixVowel}d`;
  if (!stem.endsWith('t')) return `${stem}d`;
  if (accent.flaps && FLAPS_AFTER.test(stem)) return `${stem.slice(0, -1)}Tᵻd`;
  return `${stem}${accent.suffixVowel}d`;
}

/** Adds "-ing". In a non-rhotic accent a written r comes back ("hear", "hearing"). */
export function withIng(stem: string, accent: EnglishAccent, spelling: string): string {
  if (accent.flaps && FLAPS_AFTER.test(stem)) return `${stem.slice(0, -1)}Tɪŋ`;
  const linkingR = !accent.rhotic && /re?$/.test(spelling) && /[əː]$/.test(stem) ? 'ɹ' : '';
  return `${stem}${linkingR}ɪŋ`;
}
