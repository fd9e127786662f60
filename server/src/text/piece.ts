/** A language the text front end and the phonemizers know, as a BCP 47 tag. */
export const LANGUAGES = ['en-US', 'en-GB', 'es', 'fr', 'it', 'pt-BR', 'hi', 'ja', 'zh'] as const;
/**
 * `und` (undetermined) stands for every other language, which only a voice of its own can read: words and
 * figures are handed on as they are written, and that voice's phonemizer makes of them what it knows.
 */
export type Language = (typeof LANGUAGES)[number] | 'und';

/**
 * One word to be said. Several spoken words may come from one written one ("$5" gives "five" and
 * "dollars", both with the offsets of "$5").
 */
export interface SpokenWord {
  /** What is said: letters, apostrophes and inner hyphens only. Never symbols or punctuation; digits only in `und`. */
  readonly text: string;
  /** Where it stands in the original text: UTF-16 offsets, half open. */
  readonly start: number;
  readonly end: number;
  /** Opening punctuation before the word that a voice can act: `“`, `(`. Usually empty. */
  readonly before: string;
  /** Closing punctuation after the word: any of `, ; : . ! ? … — ” )`. Usually empty. */
  readonly after: string;
  /** Set when the word is a single letter that is to be read by its name ("A" in "A B C"). */
  readonly spell?: true;
  /** Its sound, when the text or a dictionary gives it; the phonemizer is not asked then. */
  readonly phonemes?: GivenPhonemes;
  /** How it is to be said, when the text says so beside its cues (SSML). */
  readonly prosody?: Prosody;
  /** The English it is to be said in, where a cue wants another than the voice's. */
  readonly accent?: EnglishAccentName;
}

export type EnglishAccentName = Extract<Language, 'en-US' | 'en-GB'>;

/** The sound of a word, as an author writes it. */
export interface GivenPhonemes {
  readonly alphabet: 'arpabet' | 'pinyin' | 'romaji' | 'ipa';
  readonly value: string;
}

/** A wish for how words are said, relative to the voice's own way. Absent: as it is. */
export interface Prosody {
  /** 1 is the pace of the request, 2 twice as fast. */
  readonly rate?: number;
  readonly pitchSemitones?: number;
  readonly volumeDb?: number;
  readonly emphasis?: 'reduced' | 'moderate' | 'strong';
}

/** A pause that the text asks for in seconds. */
export interface PlacedPause {
  readonly seconds: number;
  /** The pause is before this word of the piece; equals `words.length` at the piece's end. */
  readonly wordIndex: number;
}

/** A place that the text names (SSML `mark`), so that whoever listens can be told when it is reached. */
export interface PlacedMark {
  readonly name: string;
  /** Offsets of the mark in the original text. */
  readonly start: number;
  readonly end: number;
  /** The mark is before this word of the piece; equals `words.length` at the piece's end. */
  readonly wordIndex: number;
}

/** What ends a piece, and so how long the pause after it should be. `phrase`: nothing in the text, a cut of ours. */
export type Boundary = 'phrase' | 'clause' | 'sentence' | 'paragraph' | 'end';

/** A cue such as `(whispering)` or `[very sad]`; it is never spoken. */
export interface PlacedCue {
  /** As written between the brackets, trimmed and lower-cased. */
  readonly name: string;
  /** Offsets of the cue with its brackets in the original text. */
  readonly start: number;
  readonly end: number;
  /** The cue takes effect before this word of the piece; equals `words.length` at the piece's end. */
  readonly wordIndex: number;
}

/** A stretch of text that an engine speaks in one go: a clause or a sentence, never a split word. */
export interface Piece {
  readonly index: number;
  readonly words: readonly SpokenWord[];
  readonly cues: readonly PlacedCue[];
  readonly pauses?: readonly PlacedPause[];
  readonly marks?: readonly PlacedMark[];
  /** Who says it in a text of several speakers (`<|speaker:1|>`); a change of speaker begins a new piece. */
  readonly speaker?: number;
  /** Name or id of the voice, and the language, where the text itself changes them (SSML). */
  readonly voice?: string;
  readonly language?: Language;
  readonly boundary: Boundary;
  /** The part of the original text it covers. Pieces are in order and do not overlap. */
  readonly start: number;
  readonly end: number;
}
