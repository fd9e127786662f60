import { CUES, type Cue } from './cue-table.ts';
import { CUE_NEGATIONS, INTENSITIES, RESETS, SYNONYMS } from './cue-words.ts';

/** A cue of the table with its intensity; 1 is unchanged. */
export interface ResolvedCue {
  readonly name: string;
  readonly cue: Cue;
  readonly intensity: number;
}

/** The meaning of a bracketed cue: cues of the table, none if it is unknown, or a reset to neutral. */
export type CueResolution = readonly ResolvedCue[] | 'reset';

/** Longest name or synonym, in words. */
const PHRASE_WORDS_MAX = 4;
const INTENSITY_MAX = 2;

const BY_PHRASE = new Map<string, string>();
const BY_STEM = new Map<string, string>();
for (const name of CUES.keys()) addPhrase(name, name);
for (const [name, synonyms] of Object.entries(SYNONYMS)) {
  for (const synonym of synonyms) addPhrase(synonym, name);
}

function addPhrase(phrase: string, cueName: string): void {
  const spaced = wordsOf(phrase).join(' ');
  if (!BY_PHRASE.has(spaced)) BY_PHRASE.set(spaced, cueName);
  const stem = stemOf(spaced);
  if (!BY_STEM.has(stem)) BY_STEM.set(stem, cueName);
}

/** Resolutions by text. Cues of one text repeat; the size bounds what different texts can occupy. */
const RESOLUTIONS = new Map<string, CueResolution>();
const RESOLUTIONS_MAX = 1000;

/**
 * Resolves the content of a bracketed cue to cues of the table, by name or synonym. Degree adverbs scale the cue
 * that follows them; unknown words are ignored.
 */
export function resolveCue(text: string): CueResolution {
  const known = RESOLUTIONS.get(text);
  if (known !== undefined) return known;
  if (RESOLUTIONS.size >= RESOLUTIONS_MAX) RESOLUTIONS.clear();
  const resolution = resolveWords(text);
  RESOLUTIONS.set(text, resolution);
  return resolution;
}

function resolveWords(text: string): CueResolution {
  const words = wordsOf(text);
  if (RESETS.has(words.join(' '))) return 'reset';
  const found = new Map<string, ResolvedCue>();
  let intensity = 1;
  let isNegated = false;
  for (let at = 0; at < words.length; ) {
    const phrase = longestPhrase(words, at);
    at += phrase.length;
    if (phrase.cueName !== undefined) {
      const known = found.get(phrase.cueName);
      if (!isNegated && known === undefined) {
        const cue = CUES.get(phrase.cueName)!;
        found.set(phrase.cueName, {
          name: phrase.cueName,
          cue,
          intensity: Math.min(INTENSITY_MAX, intensity),
        });
      }
      intensity = 1;
      isNegated = false;
    } else if (phrase.intensity !== undefined) intensity *= phrase.intensity;
    else if (CUE_NEGATIONS.has(words[at - 1]!)) isNegated = true;
  }
  return [...found.values()];
}

interface FoundPhrase {
  readonly length: number;
  readonly cueName?: string | undefined;
  readonly intensity?: number | undefined;
}

/** Prefers a longer match to a shorter one, and an exact match to a match by stem. */
function longestPhrase(words: readonly string[], at: number): FoundPhrase {
  for (let length = Math.min(PHRASE_WORDS_MAX, words.length - at); length > 0; length--) {
    const phrase = words.slice(at, at + length).join(' ');
    const cueName = BY_PHRASE.get(phrase);
    if (cueName !== undefined) return { length, cueName };
    const intensity = Object.hasOwn(INTENSITIES, phrase) ? INTENSITIES[phrase] : undefined;
    // "gently" alone is a cue; before another cue it is a degree adverb.
    const isDegree = intensity !== undefined && (at + length < words.length || !BY_STEM.has(stemOf(phrase)));
    if (isDegree) return { length, intensity };
    const byStem = BY_STEM.get(stemOf(phrase));
    if (byStem !== undefined) return { length, cueName: byStem };
  }
  return { length: 1 };
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}']+/gu, ' ')
    .trim()
    .split(' ');
}

/** Stems such as "sweet", "happi", "whisper" for "sweetly", "happiness", "whispers". Only compared with each other. */
function stemOf(phrase: string): string {
  return phrase.split(' ').map(stemWord).join(' ');
}

function stemWord(word: string): string {
  if (word.length <= 4) return word.replace(/y$/, 'i');
  return word
    .replace(/ness$/, '')
    .replace(/l[ey]$/, '')
    .replace(/(?:ing|ed|es|s|e)$/, '')
    .replace(/([b-df-hj-np-tv-z])\1$/, '$1')
    .replace(/y$/, 'i');
}
