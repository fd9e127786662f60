/** Languages of the text front end and the phonemizers: BCP 47 tags. */
export const LANGUAGES = ['en-US', 'en-GB', 'es', 'fr', 'it', 'pt-BR', 'hi', 'ja', 'zh'] as const;
/**
 * `und` (undetermined) stands for every other language. Its words and digits are not verbalized: the phonemizer of
 * a voice in that language receives them as written.
 */
export type Language = (typeof LANGUAGES)[number] | 'und';

/**
 * One verbalized word. Several may have the same source: "$5" gives "five" and "dollars", both with the offsets of
 * "$5".
 */
export interface SpokenWord {
  /** Letters, apostrophes and inner hyphens only. Never symbols or punctuation; digits only in `und`. */
  readonly text: string;
  /** UTF-16 offsets into the original text, half open. */
  readonly start: number;
  readonly end: number;
  /** Opening punctuation that affects prosody: `“`, `(`. Usually empty. */
  readonly before: string;
  /** Closing punctuation: any of `, ; : . ! ? … — ” )`. Usually empty. */
  readonly after: string;
  /** Set for a single letter that is pronounced by its name ("A" in "A B C"). */
  readonly spell?: true;
  /** Explicit pronunciation from the text or a dictionary. It replaces the phonemizer. */
  readonly phonemes?: GivenPhonemes;
  /** Set if the phonemes are from a pronunciation dictionary. */
  readonly isFromDictionary?: true;
  /** From SSML `prosody` and `emphasis`. */
  readonly prosody?: Prosody;
  /** English accent requested by a cue; absent: the voice's own. */
  readonly accent?: EnglishAccentName;
}

export type EnglishAccentName = Extract<Language, 'en-US' | 'en-GB'>;

/** The pronunciation of a word as the author wrote it. */
export interface GivenPhonemes {
  readonly alphabet: 'arpabet' | 'pinyin' | 'romaji' | 'ipa';
  readonly value: string;
}

/** Prosody requested by markup, relative to the voice's own. Absent fields leave it unchanged. */
export interface Prosody {
  /** Factor on the speaking rate of the request: 2 is twice as fast. */
  readonly rate?: number;
  readonly pitchSemitones?: number;
  readonly volumeDb?: number;
  readonly emphasis?: 'reduced' | 'moderate' | 'strong';
}

/** An explicit pause in the text. */
export interface PlacedPause {
  readonly seconds: number;
  /** The pause is before this word of the piece; equals `words.length` at the piece's end. */
  readonly wordIndex: number;
}

/** A named position in the text (SSML `mark`). Its time is reported with the word times. */
export interface PlacedMark {
  readonly name: string;
  /** Offsets of the mark in the original text. */
  readonly start: number;
  readonly end: number;
  /** The mark is before this word of the piece; equals `words.length` at the piece's end. */
  readonly wordIndex: number;
}

/**
 * What ends a piece; it determines the pause after it. `phrase` is a cut without punctuation, made because the
 * piece would be too long.
 */
export type Boundary = 'phrase' | 'clause' | 'sentence' | 'paragraph' | 'end';

/** A cue such as `(whispering)` or `[very sad]`; it is never spoken. */
export interface PlacedCue {
  /** The content of the brackets, trimmed and lower-cased. */
  readonly name: string;
  /** UTF-16 offsets of the cue with its brackets in the original text. */
  readonly start: number;
  readonly end: number;
  /** The cue takes effect before this word of the piece; equals `words.length` at the piece's end. */
  readonly wordIndex: number;
}

/** The unit of text that an engine synthesizes in one utterance: a clause or a sentence. Words are never split. */
export interface Piece {
  readonly index: number;
  readonly words: readonly SpokenWord[];
  readonly cues: readonly PlacedCue[];
  readonly pauses?: readonly PlacedPause[];
  readonly marks?: readonly PlacedMark[];
  /** Speaker number in a dialogue (`<|speaker:1|>`). A change of speaker begins a new piece. */
  readonly speaker?: number;
  /** Name or id of the voice, and the language, if SSML sets them. */
  readonly voice?: string;
  readonly language?: Language;
  readonly boundary: Boundary;
  /** UTF-16 offsets of the covered source text. Pieces are in order and do not overlap. */
  readonly start: number;
  readonly end: number;
}
