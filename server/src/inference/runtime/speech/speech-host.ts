import { join } from 'node:path';
import type { LanguagePhonemizer, Phonemizer } from '../../../domain/engines/phonemizer.ts';
import type { TtsEngine, TtsEngineContext, Utterance } from '../../../domain/engines/tts-engine.ts';
import type { Language } from '../../../text/piece.ts';
import { findEngine } from '../../engines/registry.ts';
import { createPhonemizer } from '../../phonemizer/create-phonemizer.ts';
import { openInstalledModels } from '../process/installed-models.ts';
import { LazyEngines, LazyValue } from '../process/lazy-value.ts';
import type { WorkerSettings } from '../process/messages.ts';

/** When a phonemizer does in advance what later requests may need. */
const PREPARE_AFTER_MS = 2000;

/** The engines of one speech worker process. Each is loaded once, on the first request. */
export class SpeechHost {
  readonly #settings: WorkerSettings;
  readonly #models: ReturnType<typeof openInstalledModels>;
  readonly #engines = new LazyEngines((name) => this.#load(name));
  readonly #phonemizer = new LazyValue(() => this.#createPhonemizer());

  constructor(settings: WorkerSettings) {
    this.#settings = settings;
    this.#models = openInstalledModels(settings.modelsRoot);
  }

  loadedEngines(): string[] {
    return this.#engines.names();
  }

  loadSeconds(): Record<string, number> {
    return this.#engines.loadSeconds();
  }

  engine(name: string): Promise<TtsEngine> {
    return this.#engines.get(name);
  }

  /** Loads the dictionary of Japanese or Chinese on the first use of the language. */
  async prepareLanguage(language: Language): Promise<void> {
    if (language !== 'ja' && language !== 'zh') return;
    const phonemizer = await this.#phonemizer.get();
    if (phonemizer.languages.includes(language)) return;
    const latin: LanguagePhonemizer = { phonemize: (words) => phonemizer.kokoro(words, 'en-US') };
    phonemizer.install(language, language === 'ja' ? await this.#japanese(latin) : await chinese(latin));
  }

  async #japanese(latin: LanguagePhonemizer): Promise<LanguagePhonemizer> {
    const { createJapanesePhonemizer } = await import('../../phonemizer/japanese/japanese-phonemizer.ts');
    const { loadJapaneseDictionary } = await import('../../phonemizer/japanese/japanese-dictionary.ts');
    const dictionary = await loadJapaneseDictionary(await this.#models.folder('dictionary-ja'));
    return createJapanesePhonemizer(dictionary, latin);
  }

  async #load(name: string): Promise<TtsEngine> {
    const engine = await findEngine(name).load(this.context());
    if (engine.capabilities.windowedDecoding) await warmUp(engine);
    return engine;
  }

  /** The services that engines use when they are loaded. */
  context(): TtsEngineContext {
    return {
      threads: this.#settings.threads,
      piperFolder: this.#settings.piperFolder,
      derivedFolder: join(this.#settings.modelsRoot, 'piper-folder'),
      ...this.#models,
      asset: (name) => join(this.#settings.assetsRoot, name),
      phonemizer: () => this.#phonemizer.get(),
    };
  }

  async #createPhonemizer(): Promise<Phonemizer> {
    const phonemizer = await createPhonemizer({
      dataFolder: join(this.#settings.assetsRoot, 'phonemes'),
      lexiconPath: await this.#models.file('lexicon-en-us', 'en-us.txt'),
    });
    // After the first request, which most often needs none of it.
    setTimeout(() => phonemizer.prepare(), PREPARE_AFTER_MS).unref();
    return phonemizer;
  }
}

/** Runs one inference, since the first one of a process is several times slower. */
async function warmUp(engine: TtsEngine): Promise<void> {
  const [language] = engine.languages;
  const [name] = engine.voices;
  if (language === undefined || name === undefined) return;
  const words = ['one', 'two', 'three'].map((text) => ({ text, start: 0, end: 0, before: '', after: '' }));
  const utterance: Utterance = { words, language, voice: { kind: 'named', name }, speed: 1, seed: 0 };
  for await (const _ of engine.speak(utterance, new AbortController().signal));
}

async function chinese(latin: LanguagePhonemizer): Promise<LanguagePhonemizer> {
  const { createChinesePhonemizer } = await import('../../phonemizer/chinese/chinese-phonemizer.ts');
  return createChinesePhonemizer(latin);
}
