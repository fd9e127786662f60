import type { Language, SpokenWord } from '../../text/piece.ts';

/** The phonemes of one word in `PhonemizedText.symbols`: UTF-16 offsets, half open. */
export interface WordSpan {
  readonly start: number;
  readonly end: number;
}

/** The phonemes of an utterance, as a model's tokenizer accepts them. */
export interface PhonemizedText {
  /** Phonemes, with the spaces, stress marks and punctuation of the model's training data. */
  readonly symbols: string;
  /**
   * One span per input word, ascending, without overlap. A word without phonemes of its own (merged into its
   * neighbour, or not pronounceable) has an empty span. Spaces and punctuation belong to no word.
   */
  readonly wordSpans: readonly WordSpan[];
}

/** Grapheme-to-phoneme conversion for one language, in the symbols of one model. Accepts any word. */
export interface LanguagePhonemizer {
  phonemize(words: readonly SpokenWord[]): PhonemizedText;
}

/** The grapheme-to-phoneme conversion of a worker process. Synchronous. */
export interface Phonemizer {
  /** The languages that `kokoro` accepts. */
  readonly languages: readonly Language[];
  /**
   * Phonemes in Kokoro's symbols; each is in Kokoro's token table. Throws an `ApiError` with
   * `language_not_supported` for a language without an installed phonemizer.
   */
  kokoro(words: readonly SpokenWord[], language: Language): PhonemizedText;
  /**
   * The IPA of espeak-ng with stress marks and punctuation, the training notation of Piper voices. `voice` is an
   * espeak-ng voice name (`en-us`, `fr`, `pt-br`), as in a Piper configuration.
   */
  espeakIpa(words: readonly SpokenWord[], voice: string): PhonemizedText;
  /** Does in advance what the first word that is in no dictionary, or the first use of another language, would wait for. */
  prepare(): void;
  /** Adds or replaces the phonemizer of a language that espeak-ng does not cover. */
  install(language: Language, phonemizer: LanguagePhonemizer): void;
}
