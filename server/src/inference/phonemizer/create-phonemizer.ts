import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import type { LanguagePhonemizer, PhonemizedText, Phonemizer } from '../../domain/engines/phonemizer.ts';
import { ApiError } from '../../errors.ts';
import type { Language, SpokenWord } from '../../text/piece.ts';
import { joinTexts } from './common/join-texts.ts';
import { PronunciationTable } from './common/pronunciation-table.ts';
import { AMERICAN, BRITISH, type EnglishAccent } from './english/english-accent.ts';
import { EnglishDictionary } from './english/english-dictionary.ts';
import { NAMES } from './english/english-names.ts';
import { EnglishPhonemizer } from './english/english-phonemizer.ts';
import { Espeak } from './espeak/espeak.ts';
import { KOKORO_AMERICAN, KOKORO_BRITISH, KOKORO_OTHER, PIPER } from './espeak/espeak-notations.ts';
import { phonemizeWithEspeak } from './espeak/espeak-words.ts';
import { espeakSounds, kokoroSounds } from './notation/given-phonemes.ts';

/** Where the dictionaries are. */
export interface PhonemizerFiles {
  /** The folder with our own English dictionaries, `english-us.tsv.br` and `english-gb.tsv.br`. */
  readonly dataFolder: string;
  /** A large American dictionary (`en-us.txt` of the model `lexicon-en-us`), mostly for names. */
  readonly lexiconPath?: string | undefined;
}

/** Languages that espeak serves alone, by its name for them. */
const ESPEAK_LANGUAGES = { es: 'es', fr: 'fr', it: 'it', 'pt-BR': 'pt-br', hi: 'hi' } as const;

/** Loads espeak and the English dictionaries. Rejects when a file is missing or damaged. */
export async function createPhonemizer(files: PhonemizerFiles): Promise<Phonemizer> {
  const [espeak, us, gb, general] = await Promise.all([
    Espeak.load(),
    readCompressedTable(`${files.dataFolder}/english-us.tsv.br`),
    readCompressedTable(`${files.dataFolder}/english-gb.tsv.br`),
    files.lexiconPath === undefined ? undefined : readTable(files.lexiconPath),
  ]);
  const english = (accent: EnglishAccent, own: PronunciationTable) => {
    const isAmerican = accent === AMERICAN;
    const dictionary = new EnglishDictionary(
      isAmerican ? { accent, own, general, names: NAMES } : { accent, own },
    );
    return new EnglishPhonemizer({
      accent,
      dictionary,
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
          kokoroSounds(phonemes, 'other'),
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
    return joinTexts(
      runsOfAccent(words, language).map(([accent, run]) => this.#phonemizerOf(accent).phonemize(run)),
    );
  }

  #phonemizerOf(language: Language): LanguagePhonemizer {
    const phonemizer = this.#byLanguage.get(language);
    if (phonemizer !== undefined) return phonemizer;
    throw new ApiError('language_not_supported', `This server cannot read ${language} aloud.`);
  }

  espeakIpa(words: readonly SpokenWord[], voice: string): PhonemizedText {
    if (!this.#espeak.hasVoice(voice)) {
      throw new ApiError('language_not_supported', `espeak-ng has no voice ${JSON.stringify(voice)}.`);
    }
    return phonemizeWithEspeak(this.#espeak, voice, words, PIPER, (phonemes) =>
      espeakSounds(phonemes, this.#espeak, voice),
    );
  }

  install(language: Language, phonemizer: LanguagePhonemizer): void {
    this.#byLanguage.set(language, phonemizer);
  }
}

/** Neighbouring words in the same English, and which it is. */
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
  return new PronunciationTable(await promisify(brotliDecompress)(await readFile(path)));
}
