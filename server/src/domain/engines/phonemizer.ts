import type { Language, SpokenWord } from '../../text/piece.ts';

/** Where one word's phonemes stand in `PhonemizedText.symbols`: UTF-16 offsets, half open. */
export interface WordSpan {
  readonly start: number;
  readonly end: number;
}

/** Words turned into what a model reads. */
export interface PhonemizedText {
  /** Phonemes, with the spaces, stress marks and punctuation the model was trained on. */
  readonly symbols: string;
  /**
   * One span per input word, in order: starts and ends never go backwards, and spans never overlap.
   * A word that has no sound of its own (merged into its neighbour, or unreadable) has an empty span.
   * Spaces and punctuation belong to no word.
   */
  readonly wordSpans: readonly WordSpan[];
}

/** Grapheme to phoneme for one language, in one model's symbols. Never throws for odd words. */
export interface LanguagePhonemizer {
  phonemize(words: readonly SpokenWord[]): PhonemizedText;
}

/** All the grapheme to phoneme conversion a worker needs. Synchronous, and not shared between processes. */
export interface Phonemizer {
  /** The languages `kokoro` takes now. */
  readonly languages: readonly Language[];
  /**
   * Phonemes in Kokoro's symbols; every one of them is in its token table. Throws an `ApiError` with
   * `language_not_supported` for a language that was not installed.
   */
  kokoro(words: readonly SpokenWord[], language: Language): PhonemizedText;
  /**
   * espeak-ng's own IPA with stress marks and the punctuation kept, as Piper voices were trained on.
   * `voice` is an espeak voice name (`en-us`, `fr`, `pt-br`) such as a Piper config carries.
   */
  espeakIpa(words: readonly SpokenWord[], voice: string): PhonemizedText;
  /** Adds (or replaces) the phonemizer of a language that espeak-ng does not serve. */
  install(language: Language, phonemizer: LanguagePhonemizer): void;
}
