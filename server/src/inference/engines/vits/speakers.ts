/** A speaker of the embedded model that is listed as a named voice. */
export interface Speaker {
  /** Speaker number in the model; as text it is the engine's name of the voice. */
  readonly speaker: number;
  /** Invented; the speakers of the model are anonymous. */
  readonly name: string;
  /** From pitch alone: below 155 Hz male, above 165 Hz female. */
  readonly gender: 'female' | 'male';
  /** Median pitch over five sentences. */
  readonly pitchHz: number;
  readonly wordsPerMinute: number;
  /** Mean NISQA-TTS score over five sentences, from 1 to 5; no human rating. */
  readonly naturalness: number;
  /** Word error rate of an ASR model on four sentences (64 words), as a fraction. */
  readonly wordErrorRate: number;
  /** Mean integrated loudness of six sentences (`scripts/measure-voices.mjs speakers`). */
  readonly loudnessLufs: number;
  readonly description: string;
}

/** Thirty of the 904 speakers: female, then male, each by descending pitch. Selection: docs/design/vits-speakers.md. */
// biome-ignore format: one speaker per line reads as a table
export const SPEAKERS: readonly Speaker[] = [
  { speaker: 850, name: 'Tamsin', gender: 'female', pitchHz: 227, wordsPerMinute: 291, naturalness: 4.20, wordErrorRate: 0.016, loudnessLufs: -17.9, description: 'High female voice, fast, with a natural intonation.' },
  { speaker: 707, name: 'Freya', gender: 'female', pitchHz: 220, wordsPerMinute: 246, naturalness: 4.45, wordErrorRate: 0.016, loudnessLufs: -18.6, description: 'High female voice, at a medium rate, with a natural intonation.' },
  { speaker: 587, name: 'Clara', gender: 'female', pitchHz: 218, wordsPerMinute: 188, naturalness: 4.57, wordErrorRate: 0, loudnessLufs: -17.9, description: 'High female voice, unhurried, with a natural intonation.' },
  { speaker: 723, name: 'Priya', gender: 'female', pitchHz: 216, wordsPerMinute: 302, naturalness: 4.45, wordErrorRate: 0.016, loudnessLufs: -19.0, description: 'High female voice, fast, with an even melody.' },
  { speaker: 370, name: 'Leonie', gender: 'female', pitchHz: 208, wordsPerMinute: 252, naturalness: 4.59, wordErrorRate: 0.031, loudnessLufs: -19.6, description: 'Fairly high female voice, brisk, with an even melody.' },
  { speaker: 103, name: 'Amara', gender: 'female', pitchHz: 204, wordsPerMinute: 242, naturalness: 4.25, wordErrorRate: 0, loudnessLufs: -17.7, description: 'Fairly high female voice, at a medium rate, with a natural intonation.' },
  { speaker: 745, name: 'Ingrid', gender: 'female', pitchHz: 199, wordsPerMinute: 204, naturalness: 4.52, wordErrorRate: 0, loudnessLufs: -17.3, description: 'Medium-pitched female voice, unhurried, with an even melody.' },
  { speaker: 712, name: 'Saoirse', gender: 'female', pitchHz: 188, wordsPerMinute: 265, naturalness: 4.64, wordErrorRate: 0.016, loudnessLufs: -18.5, description: 'Medium-pitched female voice, brisk, with a natural intonation.' },
  { speaker: 536, name: 'Maren', gender: 'female', pitchHz: 187, wordsPerMinute: 218, naturalness: 4.53, wordErrorRate: 0.016, loudnessLufs: -18.6, description: 'Medium-pitched female voice, unhurried, with an even melody.' },
  { speaker: 129, name: 'Paloma', gender: 'female', pitchHz: 181, wordsPerMinute: 288, naturalness: 4.45, wordErrorRate: 0.016, loudnessLufs: -18.9, description: 'Medium-pitched female voice, fast, with a natural intonation.' },
  { speaker: 165, name: 'Noor', gender: 'female', pitchHz: 178, wordsPerMinute: 259, naturalness: 4.57, wordErrorRate: 0.016, loudnessLufs: -18.6, description: 'Low female voice, brisk, with an even melody.' },
  { speaker: 383, name: 'Odile', gender: 'female', pitchHz: 176, wordsPerMinute: 229, naturalness: 4.25, wordErrorRate: 0.016, loudnessLufs: -20.5, description: 'Low female voice, at a medium rate, with a natural intonation.' },
  { speaker: 324, name: 'Zofia', gender: 'female', pitchHz: 174, wordsPerMinute: 293, naturalness: 4.36, wordErrorRate: 0.016, loudnessLufs: -19.5, description: 'Low female voice, fast, with a natural intonation.' },
  { speaker: 119, name: 'Imani', gender: 'female', pitchHz: 168, wordsPerMinute: 266, naturalness: 4.63, wordErrorRate: 0.016, loudnessLufs: -19.5, description: 'Low female voice, brisk, with a natural intonation.' },
  { speaker: 541, name: 'Rosalind', gender: 'female', pitchHz: 166, wordsPerMinute: 310, naturalness: 4.54, wordErrorRate: 0.031, loudnessLufs: -19.9, description: 'Low female voice, fast, with a natural intonation.' },
  { speaker: 230, name: 'Mateo', gender: 'male', pitchHz: 153, wordsPerMinute: 312, naturalness: 4.35, wordErrorRate: 0.016, loudnessLufs: -17.5, description: 'High male voice, fast, with an even melody.' },
  { speaker: 363, name: 'Silas', gender: 'male', pitchHz: 149, wordsPerMinute: 208, naturalness: 4.59, wordErrorRate: 0.016, loudnessLufs: -20.0, description: 'High male voice, unhurried, with a natural intonation.' },
  { speaker: 709, name: 'Theo', gender: 'male', pitchHz: 147, wordsPerMinute: 269, naturalness: 4.44, wordErrorRate: 0.016, loudnessLufs: -20.9, description: 'High male voice, brisk, with a lively intonation.' },
  { speaker: 843, name: 'Callum', gender: 'male', pitchHz: 146, wordsPerMinute: 272, naturalness: 4.39, wordErrorRate: 0.016, loudnessLufs: -20.0, description: 'High male voice, brisk, with a lively intonation.' },
  { speaker: 293, name: 'Rafael', gender: 'male', pitchHz: 133, wordsPerMinute: 278, naturalness: 4.44, wordErrorRate: 0.016, loudnessLufs: -19.2, description: 'Medium-pitched male voice, brisk, with a natural intonation.' },
  { speaker: 884, name: 'Jonas', gender: 'male', pitchHz: 133, wordsPerMinute: 259, naturalness: 4.42, wordErrorRate: 0.016, loudnessLufs: -19.9, description: 'Medium-pitched male voice, brisk, with a natural intonation.' },
  { speaker: 685, name: 'Kofi', gender: 'male', pitchHz: 122, wordsPerMinute: 239, naturalness: 4.37, wordErrorRate: 0.016, loudnessLufs: -20.2, description: 'Medium-pitched male voice, at a medium rate, with a lively intonation.' },
  { speaker: 287, name: 'Anders', gender: 'male', pitchHz: 114, wordsPerMinute: 287, naturalness: 4.32, wordErrorRate: 0.016, loudnessLufs: -20.2, description: 'Low male voice, fast, with a natural intonation.' },
  { speaker: 870, name: 'Tariq', gender: 'male', pitchHz: 110, wordsPerMinute: 242, naturalness: 4.38, wordErrorRate: 0.016, loudnessLufs: -20.4, description: 'Low male voice, at a medium rate, with a lively intonation.' },
  { speaker: 634, name: 'Declan', gender: 'male', pitchHz: 110, wordsPerMinute: 272, naturalness: 4.26, wordErrorRate: 0.016, loudnessLufs: -19.5, description: 'Low male voice, brisk, with a lively intonation.' },
  { speaker: 781, name: 'Bruno', gender: 'male', pitchHz: 110, wordsPerMinute: 273, naturalness: 4.27, wordErrorRate: 0.016, loudnessLufs: -19.4, description: 'Low male voice, brisk, with a lively intonation.' },
  { speaker: 474, name: 'Marius', gender: 'male', pitchHz: 109, wordsPerMinute: 264, naturalness: 4.46, wordErrorRate: 0.016, loudnessLufs: -20.4, description: 'Low male voice, brisk, with a lively intonation.' },
  { speaker: 547, name: 'Emeka', gender: 'male', pitchHz: 107, wordsPerMinute: 232, naturalness: 4.26, wordErrorRate: 0.016, loudnessLufs: -22.5, description: 'Low male voice, at a medium rate, with a natural intonation, and rather quiet.' },
  { speaker: 135, name: 'Hugo', gender: 'male', pitchHz: 106, wordsPerMinute: 298, naturalness: 4.25, wordErrorRate: 0.016, loudnessLufs: -19.4, description: 'Low male voice, fast, with a lively intonation.' },
  { speaker: 687, name: 'Oskar', gender: 'male', pitchHz: 91, wordsPerMinute: 254, naturalness: 4.46, wordErrorRate: 0.016, loudnessLufs: -20.3, description: 'Very low male voice, brisk, with a natural intonation.' },
];
