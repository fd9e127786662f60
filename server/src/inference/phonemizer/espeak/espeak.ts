import { createRequire } from 'node:module';
import type { EspeakModule, EspeakWorker } from '@echogarden/espeak-ng-emscripten';
import { LruCache } from '../common/lru-cache.ts';
import { loadFilesOnDemand } from './data-files.ts';

/** A group that espeak-ng treats as a word: its phonemes in IPA, stress marks on the vowels. */
export type EspeakWord = readonly string[];

const DATA_PATH = createRequire(import.meta.url).resolve('@echogarden/espeak-ng-emscripten/espeak-ng.data');
const IPA = 1;
const CACHED_TEXTS_MAX = 4096;
const LANGUAGE_SWITCH = /\([a-z-]+\)/g;

/** espeak-ng as a phonemizer. One instance takes about 20 MB; its only state is the current voice and a cache. */
export class Espeak {
  readonly #module: EspeakModule;
  #startedWorker: EspeakWorker | undefined;
  readonly #voices = new Map<string, boolean>();
  readonly #cache = new LruCache<string>(CACHED_TEXTS_MAX);
  #voice = '';

  private constructor(module: EspeakModule) {
    this.#module = module;
  }

  /** Loads the module and its data. */
  static async load(): Promise<Espeak> {
    // Not an import of this file, which the server process loads too: its source is 0.8 MB.
    const { default: createModule } = await import('@echogarden/espeak-ng-emscripten');
    const module = await createModule();
    loadFilesOnDemand(module.FS, DATA_PATH);
    return new Espeak(module);
  }

  /** Starts espeak-ng, which reads the descriptions of all voices: 0.1 s. Otherwise the first use does it. */
  start(): void {
    this.#startedWorker ??= new this.#module.eSpeakNGWorker();
  }

  get #worker(): EspeakWorker {
    this.start();
    return this.#startedWorker!;
  }

  /** Whether a voice (in practice, a language) of this name exists, such as `en-us` or `pt-br`. */
  hasVoice(voice: string): boolean {
    return this.#selectVoice(voice);
  }

  /**
   * The phonemes of a text, grouped as by espeak-ng: it joins function words ("of the") and splits unusual words, so
   * the number of groups can differ from the number of words. Characters other than letters, marks, digits,
   * apostrophes and hyphens are omitted. Throws for an unknown voice.
   */
  phonemes(text: string, voice: string): readonly EspeakWord[] {
    const clean = sanitize(text);
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

  /** Calls the native function directly, since the JavaScript binding caches every result without limit. */
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

/** Removes characters that espeak-ng would interpret as commands. */
function sanitize(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}'’\-\s]|\p{Cs}/gu, ' ')
    .replaceAll('’', "'")
    .replace(/\s+/g, ' ')
    .trim();
}

/** Parses `h_ə_l_ˈoʊ w_ˈɜː_l_d | ɐ_ɡ_ˈɛ_n`: words, phonemes, and a bar at the end of a clause. */
function parseWords(output: string): EspeakWord[] {
  return output
    .replace(LANGUAGE_SWITCH, '')
    .split(/[\s|]+/)
    .map((word) => word.split('_').filter((phoneme) => /\p{L}/u.test(phoneme)))
    .filter((word) => word.length > 0);
}
