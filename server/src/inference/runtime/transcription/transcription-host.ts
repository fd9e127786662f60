import type {
  AsrEngine,
  AsrEngineContext,
  SpeakerEmbedder,
  VoiceActivity,
} from '../../../domain/engines/asr-engine.ts';
import type { AsrTaskContext } from '../../../domain/transcription/pipeline/asr-task.ts';
import { findAsrEngine, SPEAKER_EMBEDDING, VOICE_ACTIVITY } from '../../engines/asr-registry.ts';
import { openInstalledModels } from '../process/installed-models.ts';
import { LoadedEngines, LoadedOnce } from '../process/loaded-once.ts';
import type { WorkerSettings } from '../process/messages.ts';
import { PriorityMutex } from '../process/priority-mutex.ts';

/** The hearing engines of one worker process. Each is loaded when it is first asked for, once. */
export class TranscriptionHost {
  readonly #context: AsrEngineContext;
  readonly #engines = new LoadedEngines((name) => findAsrEngine(name).load(this.#context));
  readonly #voiceActivity = new LoadedOnce(() => VOICE_ACTIVITY.load(this.#context));
  readonly #voicePrinter = new LoadedOnce(() => SPEAKER_EMBEDDING.load(this.#context));
  readonly #turns = new PriorityMutex();

  constructor({ modelsRoot, threads }: WorkerSettings) {
    this.#context = { ...openInstalledModels(modelsRoot), threads };
  }

  loadedEngines(): string[] {
    return this.#engines.names();
  }

  engine(name: string): Promise<AsrEngine> {
    return this.#engines.get(name);
  }

  voiceActivity(): Promise<VoiceActivity> {
    return this.#voiceActivity.get();
  }

  voicePrinter(): Promise<SpeakerEmbedder> {
    return this.#voicePrinter.get();
  }

  /** What the pipeline of one job works with. One stretch is heard at a time, and those of live jobs first. */
  contextFor<Input>(job: { readonly isLive: boolean; readonly input: AsyncIterable<Input> }) {
    const isUrgent = job.isLive;
    return {
      input: job.input,
      voiceActivity: () => this.voiceActivity(),
      speakerEmbedder: () => this.voicePrinter(),
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
    } satisfies Omit<AsrTaskContext, 'input'> & { readonly input: AsyncIterable<Input> };
  }
}
