import { join } from 'node:path';
import type { EngineContext, TtsEngine, Utterance } from '../engines/engine.ts';
import { createPhonemizer } from '../engines/phonemes/create-phonemizer.ts';
import type { LanguagePhonemizer, Phonemizer } from '../engines/phonemes/phonemizer.ts';
import { findEngine } from '../engines/registry.ts';
import { createModelStore, type ModelStore } from '../models/model-store.ts';
import type { Language } from '../text/piece.ts';
import type { WorkerSettings } from './messages.ts';

/** The engines of one worker process. Each is loaded when it is first asked for, once. */
export class EngineHost {
  readonly #settings: WorkerSettings;
  readonly #store: ModelStore;
  readonly #engines = new Map<string, Promise<TtsEngine>>();
  readonly #loaded = new Set<string>();
  #phonemizer: Promise<Phonemizer> | undefined;

  constructor(settings: WorkerSettings) {
    this.#settings = settings;
    // Without sources: the parent fetches, a worker only reads what is there.
    this.#store = createModelStore({ root: settings.modelsRoot, sources: [] });
  }

  loadedEngines(): string[] {
    return [...this.#loaded];
  }

  engine(name: string): Promise<TtsEngine> {
    let engine = this.#engines.get(name);
    if (engine === undefined) {
      engine = this.#load(name);
      this.#engines.set(name, engine);
      // A failed load is tried again by the next request: the cause may be gone by then.
      engine.catch(() => this.#engines.delete(name));
    }
    return engine;
  }

  /** Languages with a large dictionary get it when they are first spoken. */
  async prepareLanguage(language: Language): Promise<void> {
    if (language !== 'ja' && language !== 'zh') return;
    const phonemizer = await this.#sharedPhonemizer();
    if (phonemizer.languages.includes(language)) return;
    const latin: LanguagePhonemizer = { phonemize: (words) => phonemizer.kokoro(words, 'en-US') };
    phonemizer.install(language, language === 'ja' ? await this.#japanese(latin) : await chinese(latin));
  }

  async #japanese(latin: LanguagePhonemizer): Promise<LanguagePhonemizer> {
    const { createJapanesePhonemizer } = await import('../engines/phonemes/japanese.ts');
    const { loadJapaneseDictionary } = await import('../engines/phonemes/japanese-dictionary.ts');
    const { folder } = await this.#model('dictionary-ja');
    return createJapanesePhonemizer(await loadJapaneseDictionary(folder), latin);
  }

  #sharedPhonemizer(): Promise<Phonemizer> {
    this.#phonemizer ??= this.#createPhonemizer();
    return this.#phonemizer;
  }

  async #load(name: string): Promise<TtsEngine> {
    const engine = await findEngine(name).load(this.context());
    if (engine.capabilities.windowedDecoding) await warmUp(engine);
    this.#loaded.add(name);
    return engine;
  }

  /** What engines, and what works beside them, find when they are loaded. */
  context(): EngineContext {
    return {
      threads: this.#settings.threads,
      piperFolder: this.#settings.piperFolder,
      derivedFolder: join(this.#settings.modelsRoot, 'piper-folder'),
      file: async (modelId, name) => (await this.#model(modelId)).file(name),
      folder: async (modelId) => (await this.#model(modelId)).folder,
      derive: (modelId, name, version, make) => this.#store.derive(modelId, name, version, make),
      asset: (name) => join(this.#settings.assetsRoot, name),
      phonemizer: () => this.#sharedPhonemizer(),
    };
  }

  async #createPhonemizer(): Promise<Phonemizer> {
    const lexicon = await this.#model('lexicon-en-us');
    return createPhonemizer({
      dataFolder: join(this.#settings.assetsRoot, 'phonemes'),
      lexiconPath: lexicon.file('en-us.txt'),
    });
  }

  async #model(id: string) {
    const model = await this.#store.find(id);
    if (model === undefined) throw new Error(`Model ${id} is not installed.`);
    return model;
  }
}

/** The first inference of a process is several times slower; nobody should hear that. */
async function warmUp(engine: TtsEngine): Promise<void> {
  const [language] = engine.languages;
  const [name] = engine.voices;
  if (language === undefined || name === undefined) return;
  const words = ['one', 'two', 'three'].map((text) => ({ text, start: 0, end: 0, before: '', after: '' }));
  const utterance: Utterance = { words, language, voice: { kind: 'named', name }, speed: 1, seed: 0 };
  for await (const _ of engine.speak(utterance, new AbortController().signal));
}

async function chinese(latin: LanguagePhonemizer): Promise<LanguagePhonemizer> {
  const { createChinesePhonemizer } = await import('../engines/phonemes/chinese.ts');
  return createChinesePhonemizer(latin);
}
