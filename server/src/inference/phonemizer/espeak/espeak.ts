import createModule, { type EspeakModule, type EspeakWorker } from '@echogarden/espeak-ng-emscripten';
import { LruCache } from '../common/lru-cache.ts';

/** One stretch that espeak says as a word: its phonemes in IPA, stress marks on the vowels. */
export type EspeakWord = readonly string[];

const IPA = 1;
const CACHED_TEXTS_MAX = 4096;
const LANGUAGE_SWITCH = /\([a-z-]+\)/g;

/**
 * espeak-ng as a function from text to phonemes. One instance holds one copy of the program (about
 * 40 MB); it keeps no state between calls except the current voice.
 */
export class Espeak {
  readonly #module: EspeakModule;
  readonly #worker: EspeakWorker;
  readonly #voices = new Map<string, boolean>();
  readonly #cache = new LruCache<string>(CACHED_TEXTS_MAX);
  #voice = '';

  private constructor(module: EspeakModule, worker: EspeakWorker) {
    this.#module = module;
    this.#worker = worker;
  }

  /** Loads the program and its data, which takes a few tenths of a second. */
  static async load(): Promise<Espeak> {
    const module = await createModule();
    return new Espeak(module, new module.eSpeakNGWorker());
  }

  /** Whether there is a voice (in practice: a language) of this name, such as `en-us` or `pt-br`. */
  hasVoice(voice: string): boolean {
    return this.#selectVoice(voice);
  }

  /**
   * The phonemes of a text, grouped as espeak groups them: it joins small words ("of the") and splits
   * odd ones, so there can be fewer or more groups than words. Whatever is not a letter, mark, digit,
   * apostrophe or hyphen is left out. Throws for an unknown voice.
   */
  phonemes(text: string, voice: string): readonly EspeakWord[] {
    const clean = readable(text);
    if (clean === '') return [];
    const key = `${voice}\n${clean}`;
    let output = this.#cache.get(key);
    if (output === undefined) {
      if (!this.#selectVoice(voice)) throw new Error(`espeak-ng has no voice ${JSON.stringify(voice)}.`);
      output = this.#convert(clean);
      this.#cache.set(key, output);
    }
    return parseWords(output);
  }

  #selectVoice(voice: string): boolean {
    if (this.#voice === voice) return true;
    if (this.#voices.get(voice) === false) return false;
    const found = /^[\w-]+$/.test(voice) && this.#worker.set_voice(voice, undefined, 0, 0, 0) === 0;
    this.#voices.set(voice, found);
    if (found) this.#voice = voice;
    return found;
  }

  /** Calls the function below the JavaScript binding, since that one remembers every answer for ever. */
  #convert(text: string): string {
    const bytes = Buffer.from(`${text}\0`, 'utf8');
    const input = this.#module._malloc(bytes.length);
    this.#module.HEAPU8.set(bytes, input);
    const output = this.#module._emscripten_bind_eSpeakNGWorker_text_to_phonemes_2(
      this.#worker.ptr,
      input,
      IPA,
    );
    this.#module._free(input);
    if (output === 0) return '';
    const heap = this.#module.HEAPU8;
    const result = Buffer.from(heap.subarray(output, heap.indexOf(0, output))).toString('utf8');
    this.#module._free(output);
    return result;
  }
}

/** Only what can be read aloud: espeak takes some symbols as commands. */
function readable(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}'’\-\s]|\p{Cs}/gu, ' ')
    .replaceAll('’', "'")
    .replace(/\s+/g, ' ')
    .trim();
}

/** Reads `h_ə_l_ˈoʊ w_ˈɜː_l_d | ɐ_ɡ_ˈɛ_n`: words, phonemes, and a bar where a clause ends. */
function parseWords(output: string): EspeakWord[] {
  return output
    .replace(LANGUAGE_SWITCH, '')
    .split(/[\s|]+/)
    .map((word) => word.split('_').filter((phoneme) => /\p{L}/u.test(phoneme)))
    .filter((word) => word.length > 0);
}
