import type {
  AsrEngine,
  AsrEngineContext,
  SpeakerEmbedder,
  VadModel,
} from '../../../domain/engines/asr-engine.ts';
import type { AsrTaskContext } from '../../../domain/transcription/pipeline/asr-task.ts';
import { findAsrEngine, SPEAKER_EMBEDDING, VOICE_ACTIVITY } from '../../engines/asr-registry.ts';
import { openInstalledModels } from '../process/installed-models.ts';
import { LazyEngines, LazyValue } from '../process/lazy-value.ts';
import type { WorkerSettings } from '../process/messages.ts';
import { PriorityMutex } from '../process/priority-mutex.ts';

/** The ASR engines of one transcription worker process. Each is loaded once, on the first request. */
export class TranscriptionHost {
  readonly #context: AsrEngineContext;
  readonly #engines = new LazyEngines((name) => findAsrEngine(name).load(this.#context));
  readonly #voiceActivity = new LazyValue(() => VOICE_ACTIVITY.load(this.#context));
  readonly #speakerEmbedder = new LazyValue(() => SPEAKER_EMBEDDING.load(this.#context));
  readonly #mutex = new PriorityMutex();

  constructor({ modelsRoot, threads }: WorkerSettings) {
    this.#context = { ...openInstalledModels(modelsRoot), threads };
  }

  loadedEngines(): string[] {
    return this.#engines.names();
  }

  engine(name: string): Promise<AsrEngine> {
    return this.#engines.get(name);
  }

  voiceActivity(): Promise<VadModel> {
    return this.#voiceActivity.get();
  }

  speakerEmbedder(): Promise<SpeakerEmbedder> {
    return this.#speakerEmbedder.get();
  }

  /** The services of one task. Segments are transcribed one at a time; those of live tasks have priority. */
  contextFor<Input>(task: { readonly isLive: boolean; readonly input: AsyncIterable<Input> }) {
    const isUrgent = task.isLive;
    return {
      input: task.input,
      voiceActivity: () => this.voiceActivity(),
      speakerEmbedder: () => this.speakerEmbedder(),
      engine: async (name: string): Promise<AsrEngine> => {
        const engine = await this.engine(name);
        return {
          name: engine.name,
          languages: engine.languages,
          maxSeconds: engine.maxSeconds,
          transcribe: (samples, options) =>
            this.#mutex.runExclusive(() => engine.transcribe(samples, options), { isUrgent }),
          detectLanguage: (samples, signal) =>
            this.#mutex.runExclusive(() => engine.detectLanguage(samples, signal), { isUrgent }),
          // All tasks share the engine.
          close: async () => {},
        };
      },
    } satisfies Omit<AsrTaskContext, 'input'> & { readonly input: AsyncIterable<Input> };
  }
}
