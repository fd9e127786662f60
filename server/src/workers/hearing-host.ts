import type { AsrContext, AsrEngine, VoiceActivity, VoicePrinter } from '../engines/asr-engine.ts';
import { findAsrEngine, VOICE_ACTIVITY, VOICE_PRINT } from '../engines/asr-registry.ts';
import type { HearingContext } from '../hearing/hearing-job.ts';
import { createModelStore, type ModelStore } from '../models/model-store.ts';
import type { WorkerSettings } from './messages.ts';
import { Turns } from './turns.ts';

/** The hearing engines of one worker process. Each is loaded when it is first asked for, once. */
export class HearingHost {
  readonly #settings: WorkerSettings;
  readonly #store: ModelStore;
  readonly #engines = new Map<string, Promise<AsrEngine>>();
  readonly #loaded = new Set<string>();
  readonly #turns = new Turns();
  #voiceActivity: Promise<VoiceActivity> | undefined;
  #voicePrinter: Promise<VoicePrinter> | undefined;

  constructor(settings: WorkerSettings) {
    this.#settings = settings;
    // Without sources: the parent fetches, a worker only reads what is there.
    this.#store = createModelStore({ root: settings.modelsRoot, sources: [] });
  }

  loadedEngines(): string[] {
    return [...this.#loaded];
  }

  engine(name: string): Promise<AsrEngine> {
    let engine = this.#engines.get(name);
    if (engine === undefined) {
      engine = this.#load(name);
      this.#engines.set(name, engine);
      // A failed load is tried again by the next job: the cause may be gone by then.
      engine.catch(() => this.#engines.delete(name));
    }
    return engine;
  }

  voiceActivity(): Promise<VoiceActivity> {
    if (this.#voiceActivity === undefined) {
      this.#voiceActivity = VOICE_ACTIVITY.load(this.#context());
      this.#voiceActivity.catch(() => {
        this.#voiceActivity = undefined;
      });
    }
    return this.#voiceActivity;
  }

  voicePrinter(): Promise<VoicePrinter> {
    if (this.#voicePrinter === undefined) {
      this.#voicePrinter = VOICE_PRINT.load(this.#context());
      this.#voicePrinter.catch(() => {
        this.#voicePrinter = undefined;
      });
    }
    return this.#voicePrinter;
  }

  /** What the pipeline of one job works with. One stretch is heard at a time, and those of live jobs first. */
  contextFor<Input>(job: { readonly isLive: boolean; readonly input: AsyncIterable<Input> }) {
    const isUrgent = job.isLive;
    return {
      input: job.input,
      voiceActivity: () => this.voiceActivity(),
      voicePrinter: () => this.voicePrinter(),
      engine: async (name: string): Promise<AsrEngine> => {
        const engine = await this.engine(name);
        return {
          name: engine.name,
          languages: engine.languages,
          maxSeconds: engine.maxSeconds,
          transcribe: (samples, options) =>
            this.#turns.take(() => engine.transcribe(samples, options), { isUrgent }),
          detectLanguage: (samples, signal) =>
            this.#turns.take(() => engine.detectLanguage(samples, signal), { isUrgent }),
          // The engine belongs to all jobs.
          close: async () => {},
        };
      },
    } satisfies Omit<HearingContext, 'input'> & { readonly input: AsyncIterable<Input> };
  }

  async #load(name: string): Promise<AsrEngine> {
    const engine = await findAsrEngine(name).load(this.#context());
    this.#loaded.add(name);
    return engine;
  }

  #context(): AsrContext {
    return {
      threads: this.#settings.threads,
      file: async (modelId, name) => {
        const model = await this.#store.find(modelId);
        if (model === undefined) throw new Error(`Model ${modelId} is not installed.`);
        return model.file(name);
      },
      derive: (modelId, name, version, make) => this.#store.derive(modelId, name, version, make),
    };
  }
}
