/** A speaker of the embedded model that is listed as a voice with a name. */
export interface Speaker {
  /** The speaker's number in the model; the engine's name for the voice is this number as text. */
  readonly speaker: number;
  /** Invented: the model does not say who its speakers are. */
  readonly name: string;
  /** Judged by pitch alone: below 155 Hz male, above 165 Hz female. */
  readonly gender: 'female' | 'male';
  /** Median of the pitch over five sentences. */
  readonly pitchHz: number;
  readonly paceWordsPerMinute: number;
  /** Mean of NISQA-TTS's estimate over five sentences, from 1 to 5. No person has judged. */
  readonly naturalness: number;
  /** Share of the words of four sentences (64 words) that a recogniser got wrong. */
  readonly wordErrorRate: number;
  /** Integrated loudness of the four sentences together. */
  readonly loudnessLufs: number;
  readonly description: string;
}

/**
 * Thirty of the 904 speakers: women, then men, each from high to low. Every speaker said one sentence,
 * which NISQA-TTS (a network that estimates how natural synthetic speech sounds) judged: mean 4.11, a tenth
 * below 3.5. The best 45 women and 45 men said four more. Kept were those with at least 4.2 on average over
 * all five, at most 4 % of words misheard by Moonshine base, and no clipped sample. From five ranges of pitch
 * the best were taken in turns, passing over a voice too much like one already taken (cosine of x-vectors).
 * Nearly all errors are one word ("smelled of" heard as "smelled a"). Age cannot be measured and is not told.
 */
// biome-ignore format: one speaker per line reads as a table
export const SPEAKERS: readonly Speaker[] = [
  { speaker: 850, name: 'Tamsin', gender: 'female', pitchHz: 227, paceWordsPerMinute: 291, naturalness: 4.20, wordErrorRate: 0.016, loudnessLufs: -18.0, description: 'High female voice, fast, with a natural melody.' },
  { speaker: 707, name: 'Freya', gender: 'female', pitchHz: 220, paceWordsPerMinute: 246, naturalness: 4.45, wordErrorRate: 0.016, loudnessLufs: -18.6, description: 'High female voice, of medium pace, with a natural melody.' },
  { speaker: 587, name: 'Clara', gender: 'female', pitchHz: 218, paceWordsPerMinute: 188, naturalness: 4.57, wordErrorRate: 0, loudnessLufs: -17.8, description: 'High female voice, unhurried, with a natural melody.' },
  { speaker: 723, name: 'Priya', gender: 'female', pitchHz: 216, paceWordsPerMinute: 302, naturalness: 4.45, wordErrorRate: 0.016, loudnessLufs: -18.5, description: 'High female voice, fast, with an even melody.' },
  { speaker: 370, name: 'Leonie', gender: 'female', pitchHz: 208, paceWordsPerMinute: 252, naturalness: 4.59, wordErrorRate: 0.031, loudnessLufs: -19.1, description: 'Fairly high female voice, brisk, with an even melody.' },
  { speaker: 103, name: 'Amara', gender: 'female', pitchHz: 204, paceWordsPerMinute: 242, naturalness: 4.25, wordErrorRate: 0, loudnessLufs: -17.6, description: 'Fairly high female voice, of medium pace, with a natural melody.' },
  { speaker: 745, name: 'Ingrid', gender: 'female', pitchHz: 199, paceWordsPerMinute: 204, naturalness: 4.52, wordErrorRate: 0, loudnessLufs: -17.2, description: 'Medium-pitched female voice, unhurried, with an even melody.' },
  { speaker: 712, name: 'Saoirse', gender: 'female', pitchHz: 188, paceWordsPerMinute: 265, naturalness: 4.64, wordErrorRate: 0.016, loudnessLufs: -18.4, description: 'Medium-pitched female voice, brisk, with a natural melody.' },
  { speaker: 536, name: 'Maren', gender: 'female', pitchHz: 187, paceWordsPerMinute: 218, naturalness: 4.53, wordErrorRate: 0.016, loudnessLufs: -18.7, description: 'Medium-pitched female voice, unhurried, with an even melody.' },
  { speaker: 129, name: 'Paloma', gender: 'female', pitchHz: 181, paceWordsPerMinute: 288, naturalness: 4.45, wordErrorRate: 0.016, loudnessLufs: -19.1, description: 'Medium-pitched female voice, fast, with a natural melody.' },
  { speaker: 165, name: 'Noor', gender: 'female', pitchHz: 178, paceWordsPerMinute: 259, naturalness: 4.57, wordErrorRate: 0.016, loudnessLufs: -18.5, description: 'Low female voice, brisk, with an even melody.' },
  { speaker: 383, name: 'Odile', gender: 'female', pitchHz: 176, paceWordsPerMinute: 229, naturalness: 4.25, wordErrorRate: 0.016, loudnessLufs: -20.7, description: 'Low female voice, of medium pace, with a natural melody.' },
  { speaker: 324, name: 'Zofia', gender: 'female', pitchHz: 174, paceWordsPerMinute: 293, naturalness: 4.36, wordErrorRate: 0.016, loudnessLufs: -19.3, description: 'Low female voice, fast, with a natural melody.' },
  { speaker: 119, name: 'Imani', gender: 'female', pitchHz: 168, paceWordsPerMinute: 266, naturalness: 4.63, wordErrorRate: 0.016, loudnessLufs: -19.4, description: 'Low female voice, brisk, with a natural melody.' },
  { speaker: 541, name: 'Rosalind', gender: 'female', pitchHz: 166, paceWordsPerMinute: 310, naturalness: 4.54, wordErrorRate: 0.031, loudnessLufs: -19.8, description: 'Low female voice, fast, with a natural melody.' },
  { speaker: 230, name: 'Mateo', gender: 'male', pitchHz: 153, paceWordsPerMinute: 312, naturalness: 4.35, wordErrorRate: 0.016, loudnessLufs: -17.2, description: 'High male voice, fast, with an even melody.' },
  { speaker: 363, name: 'Silas', gender: 'male', pitchHz: 149, paceWordsPerMinute: 208, naturalness: 4.59, wordErrorRate: 0.016, loudnessLufs: -20.1, description: 'High male voice, unhurried, with a natural melody.' },
  { speaker: 709, name: 'Theo', gender: 'male', pitchHz: 147, paceWordsPerMinute: 269, naturalness: 4.44, wordErrorRate: 0.016, loudnessLufs: -20.9, description: 'High male voice, brisk, with a lively melody.' },
  { speaker: 843, name: 'Callum', gender: 'male', pitchHz: 146, paceWordsPerMinute: 272, naturalness: 4.39, wordErrorRate: 0.016, loudnessLufs: -19.9, description: 'High male voice, brisk, with a lively melody.' },
  { speaker: 293, name: 'Rafael', gender: 'male', pitchHz: 133, paceWordsPerMinute: 278, naturalness: 4.44, wordErrorRate: 0.016, loudnessLufs: -19.2, description: 'Medium-pitched male voice, brisk, with a natural melody.' },
  { speaker: 884, name: 'Jonas', gender: 'male', pitchHz: 133, paceWordsPerMinute: 259, naturalness: 4.42, wordErrorRate: 0.016, loudnessLufs: -19.7, description: 'Medium-pitched male voice, brisk, with a natural melody.' },
  { speaker: 685, name: 'Kofi', gender: 'male', pitchHz: 122, paceWordsPerMinute: 239, naturalness: 4.37, wordErrorRate: 0.016, loudnessLufs: -20.0, description: 'Medium-pitched male voice, of medium pace, with a lively melody.' },
  { speaker: 287, name: 'Anders', gender: 'male', pitchHz: 114, paceWordsPerMinute: 287, naturalness: 4.32, wordErrorRate: 0.016, loudnessLufs: -20.4, description: 'Low male voice, fast, with a natural melody.' },
  { speaker: 870, name: 'Tariq', gender: 'male', pitchHz: 110, paceWordsPerMinute: 242, naturalness: 4.38, wordErrorRate: 0.016, loudnessLufs: -20.1, description: 'Low male voice, of medium pace, with a lively melody.' },
  { speaker: 634, name: 'Declan', gender: 'male', pitchHz: 110, paceWordsPerMinute: 272, naturalness: 4.26, wordErrorRate: 0.016, loudnessLufs: -19.6, description: 'Low male voice, brisk, with a lively melody.' },
  { speaker: 781, name: 'Bruno', gender: 'male', pitchHz: 110, paceWordsPerMinute: 273, naturalness: 4.27, wordErrorRate: 0.016, loudnessLufs: -19.3, description: 'Low male voice, brisk, with a lively melody.' },
  { speaker: 474, name: 'Marius', gender: 'male', pitchHz: 109, paceWordsPerMinute: 264, naturalness: 4.46, wordErrorRate: 0.016, loudnessLufs: -20.4, description: 'Low male voice, brisk, with a lively melody.' },
  { speaker: 547, name: 'Emeka', gender: 'male', pitchHz: 107, paceWordsPerMinute: 232, naturalness: 4.26, wordErrorRate: 0.016, loudnessLufs: -22.3, description: 'Low male voice, of medium pace, with a natural melody, and rather quiet.' },
  { speaker: 135, name: 'Hugo', gender: 'male', pitchHz: 106, paceWordsPerMinute: 298, naturalness: 4.25, wordErrorRate: 0.016, loudnessLufs: -19.4, description: 'Low male voice, fast, with a lively melody.' },
  { speaker: 687, name: 'Oskar', gender: 'male', pitchHz: 91, paceWordsPerMinute: 254, naturalness: 4.46, wordErrorRate: 0.016, loudnessLufs: -20.3, description: 'Very low male voice, brisk, with a natural melody.' },
];
