import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import type { LanguagePhonemizer, PhonemizedText, Phonemizer } from '../../domain/engines/phonemizer.ts';
import { ApiError } from '../../errors.ts';
import type { Language, SpokenWord } from '../../text/piece.ts';
import { joinPhonemizedTexts } from './common/join-texts.ts';
import { PronunciationTable } from './common/pronunciation-table.ts';
import { AMERICAN, BRITISH, type EnglishAccent } from './english/english-accent.ts';
import { EnglishDictionary } from './english/english-dictionary.ts';
import { NAMES } from './english/english-names.ts';
import { EnglishPhonemizer } from './english/english-phonemizer.ts';
import { AMERICAN_VARIANTS } from './english/heteronyms/american-variants.ts';
import { HeteronymModel } from './english/heteronyms/heteronym-model.ts';
import { Espeak } from './espeak/espeak.ts';
import { KOKORO_AMERICAN, KOKORO_BRITISH, KOKORO_OTHER, PIPER } from './espeak/espeak-notations.ts';
import { phonemizeWithEspeak } from './espeak/espeak-words.ts';
import { toEspeakIpa, toKokoroSymbols } from './notation/write-given-phonemes.ts';

/** Locations of the dictionaries. */
export interface PhonemizerFiles {
  /** Folder of the bundled English dictionaries (`english-us.tsv.br`, `english-gb.tsv.br`) and `english-heteronyms.tsv.br`. */
  readonly dataFolder: string;
  /** Path of a large American lexicon (`en-us.txt` of the model `lexicon-en-us`), mostly for names. */
  readonly lexiconPath?: string | undefined;
}

/** The output buffer of the decompression: one that is smaller than the table costs a third more CPU time. */
const TABLE_BYTES_MAX = 2 ** 22;

/** Languages phonemized by espeak-ng alone, with their espeak-ng names. */
const ESPEAK_LANGUAGES = { es: 'es', fr: 'fr', it: 'it', 'pt-BR': 'pt-br', hi: 'hi' } as const;

/** Loads espeak-ng and the English dictionaries. Rejects when a file is missing or damaged. */
export async function createPhonemizer(files: PhonemizerFiles): Promise<Phonemizer> {
  const [espeak, us, gb, heteronymWeights, general] = await Promise.all([
    Espeak.load(),
    readCompressedTable(`${files.dataFolder}/english-us.tsv.br`),
    readCompressedTable(`${files.dataFolder}/english-gb.tsv.br`),
    readCompressedTable(`${files.dataFolder}/english-heteronyms.tsv.br`),
    files.lexiconPath === undefined ? undefined : readTable(files.lexiconPath),
  ]);
  const heteronyms = new HeteronymModel(heteronymWeights);
  const english = (accent: EnglishAccent, own: PronunciationTable) => {
    const isAmerican = accent === AMERICAN;
    const dictionary = new EnglishDictionary(
      isAmerican ? { accent, own, general, names: NAMES, variants: AMERICAN_VARIANTS } : { accent, own },
    );
    return new EnglishPhonemizer({
      accent,
      dictionary,
      heteronyms,
      espeak,
      notation: isAmerican ? KOKORO_AMERICAN : KOKORO_BRITISH,
    });
  };
  const byLanguage = new Map<Language, LanguagePhonemizer>([
    ['en-US', english(AMERICAN, us)],
    ['en-GB', english(BRITISH, gb)],
  ]);
  for (const [language, voice] of Object.entries(ESPEAK_LANGUAGES)) {
    byLanguage.set(language as keyof typeof ESPEAK_LANGUAGES, {
      phonemize: (words) =>
        phonemizeWithEspeak(espeak, voice, words, KOKORO_OTHER, (phonemes) =>
          toKokoroSymbols(phonemes, 'other'),
        ),
    });
  }
  return new InstalledPhonemizer(espeak, byLanguage);
}

class InstalledPhonemizer implements Phonemizer {
  readonly #espeak: Espeak;
  readonly #byLanguage: Map<Language, LanguagePhonemizer>;

  constructor(espeak: Espeak, byLanguage: Map<Language, LanguagePhonemizer>) {
    this.#espeak = espeak;
    this.#byLanguage = byLanguage;
  }

  get languages(): readonly Language[] {
    return [...this.#byLanguage.keys()];
  }

  kokoro(words: readonly SpokenWord[], language: Language): PhonemizedText {
    if (!language.startsWith('en-') || !words.some((word) => word.accent)) {
      return this.#phonemizerOf(language).phonemize(words);
    }
    return joinPhonemizedTexts(
      runsOfAccent(words, language).map(([accent, run]) => this.#phonemizerOf(accent).phonemize(run)),
    );
  }

  #phonemizerOf(language: Language): LanguagePhonemizer {
    const phonemizer = this.#byLanguage.get(language);
    if (phonemizer !== undefined) return phonemizer;
    throw new ApiError('language_not_supported', `No phonemizer is installed for ${language}.`);
  }

  espeakIpa(words: readonly SpokenWord[], voice: string): PhonemizedText {
    if (!this.#espeak.hasVoice(voice)) {
      throw new ApiError('language_not_supported', `espeak-ng has no voice ${JSON.stringify(voice)}.`);
    }
    return phonemizeWithEspeak(this.#espeak, voice, words, PIPER, (phonemes) =>
      toEspeakIpa(phonemes, this.#espeak, voice),
    );
  }

  prepare(): void {
    this.#espeak.start();
  }

  install(language: Language, phonemizer: LanguagePhonemizer): void {
    this.#byLanguage.set(language, phonemizer);
  }
}

/** Runs of words with the same English accent. */
function runsOfAccent(words: readonly SpokenWord[], language: Language): [Language, SpokenWord[]][] {
  const runs: [Language, SpokenWord[]][] = [];
  for (const word of words) {
    const accent = word.accent ?? language;
    const last = runs.at(-1);
    if (last?.[0] === accent) last[1].push(word);
    else runs.push([accent, [word]]);
  }
  return runs;
}

async function readTable(path: string): Promise<PronunciationTable> {
  return new PronunciationTable(await readFile(path));
}

async function readCompressedTable(path: string): Promise<PronunciationTable> {
  const compressed = await readFile(path);
  return new PronunciationTable(
    await promisify(brotliDecompress)(compressed, { chunkSize: TABLE_BYTES_MAX }),
  );
}
