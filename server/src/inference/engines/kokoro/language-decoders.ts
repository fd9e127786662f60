import type { Language } from '../../../text/piece.ts';
import type { KokoroDecoder } from './decoder.ts';

const ENGLISH = /^en-/;

/**
 * The decoders of an engine by language. The small ones are known to be as good as the one before them in English only (see
 * their model cards); the other is opened when another language is first spoken.
 */
export class LanguageDecoders {
  readonly #english: KokoroDecoder;
  readonly #openOther: (() => Promise<KokoroDecoder>) | undefined;
  #other: Promise<KokoroDecoder> | undefined;

  /** Without `openOther` one decoder serves all languages. */
  constructor(english: KokoroDecoder, openOther?: () => Promise<KokoroDecoder>) {
    this.#english = english;
    this.#openOther = openOther;
  }

  /** A cloned voice is decoded by its small decoder in every language: no other accepts it. */
  async get(language: Language, { isClone = false } = {}): Promise<KokoroDecoder> {
    if (isClone || this.#openOther === undefined || ENGLISH.test(language)) return this.#english;
    this.#other ??= this.#openOther().catch((error: unknown) => {
      this.#other = undefined;
      throw error;
    });
    return this.#other;
  }

  async close(): Promise<void> {
    await Promise.all([this.#english.close(), this.#other?.then((decoder) => decoder.close())]);
  }
}
