/** Differences between the two English accents of Kokoro. */
export interface EnglishAccent {
  readonly espeakVoice: string;
  /** The epenthetic vowel of "-es" and "-ed" ("buses", "needed"). */
  readonly suffixVowel: string;
  /** Whether a t between vowels is flapped ("getting"). */
  readonly hasFlapping: boolean;
  /** Whether r is pronounced before a consonant or a pause. */
  readonly isRhotic: boolean;
}

export const AMERICAN: EnglishAccent = {
  espeakVoice: 'en-us',
  suffixVowel: 'ᵻ',
  hasFlapping: true,
  isRhotic: true,
};

export const BRITISH: EnglishAccent = {
  espeakVoice: 'en',
  suffixVowel: 'ɪ',
  hasFlapping: false,
  isRhotic: false,
};

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
  if (accent.hasFlapping && FLAPS_AFTER.test(stem)) return `${stem.slice(0, -1)}Tᵻd`;
  return `${stem}${accent.suffixVowel}d`;
}

/** Adds "-ing". In a non-rhotic accent a written r is pronounced before it ("hear", "hearing"). */
export function withIng(stem: string, accent: EnglishAccent, spelling: string): string {
  if (accent.hasFlapping && FLAPS_AFTER.test(stem)) return `${stem.slice(0, -1)}Tɪŋ`;
  const linkingR = !accent.isRhotic && /re?$/.test(spelling) && /[əː]$/.test(stem) ? 'ɹ' : '';
  return `${stem}${linkingR}ɪŋ`;
}
