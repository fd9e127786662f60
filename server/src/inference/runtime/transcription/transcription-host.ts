import type {
  AsrEngine,
  AsrEngineContext,
  SpeakerEmbedder,
  VadModel,
} from '../../../domain/engines/asr-engine.ts';
import type { AsrTaskContext } from '../../../domain/transcription/pipeline/asr-task.ts';
import { traced } from '../../../tracing/tracing.ts';
import { findAsrEngine, SPEAKER_EMBEDDING, VOICE_ACTIVITY } from '../../engines/asr-registry.ts';
import { openInstalledModels } from '../process/installed-models.ts';
import { LazyEngines, LazyValue } from '../process/lazy-value.ts';
import type { WorkerSettings } from '../process/messages.ts';
import { type TaskTurns, TurnScheduler } from './turn-scheduler.ts';

/** The ASR engines of one transcription worker process. Each is loaded once, on the first request. */
export class TranscriptionHost {
  readonly #context: AsrEngineContext;
  readonly #engines = new LazyEngines((name) => findAsrEngine(name).load(this.#context));
  readonly #voiceActivity = new LazyValue(() => VOICE_ACTIVITY.load(this.#context));
  readonly #speakerEmbedder = new LazyValue(() => SPEAKER_EMBEDDING.load(this.#context));
  readonly #scheduler = new TurnScheduler();

  constructor({ modelsRoot, threads }: WorkerSettings) {
    this.#context = { ...openInstalledModels(modelsRoot), threads };
  }

  loadedEngines(): string[] {
    return this.#engines.names();
  }

  loadSeconds(): Record<string, number> {
    return this.#engines.loadSeconds();
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

  /** The services of one task. Every inference runs in the order of the scheduler. Call `close` at the end of the task. */
  contextFor<Input>(task: {
    readonly isLive: boolean;
    readonly input: AsyncIterable<Input>;
    readonly accountId?: string | undefined;
    readonly cpuSecondsMax?: number | undefined;
  }) {
    const { isLive, accountId = '', cpuSecondsMax } = task;
    const turns = this.#scheduler.open({ isLive, accountId, cpuSecondsMax });
    return {
      input: task.input,
      voiceActivity: async () => scheduledVad(await this.voiceActivity(), turns),
      speakerEmbedder: async () => scheduledEmbedder(await this.speakerEmbedder(), turns),
      engine: async (name: string) => scheduledEngine(await this.engine(name), turns),
      addCpuSeconds: (seconds: number) => turns.addCpuSeconds(seconds),
      close: () => turns.close(),
    } satisfies Omit<AsrTaskContext, 'input'> & {
      readonly input: AsyncIterable<Input>;
      readonly close: () => void;
    };
  }
}

// All tasks share the models, so none closes them.
const close = async () => {};

function scheduledEngine(engine: AsrEngine, turns: TaskTurns): AsrEngine {
  return {
    name: engine.name,
    languages: engine.languages,
    maxSeconds: engine.maxSeconds,
    transcribe: (samples, options) =>
      turns.takeTurn((runStep) =>
        traced('engine.transcribe', () => engine.transcribe(samples, { ...options, runStep }), {
          'mynah.engine': engine.name,
        }),
      ),
    detectLanguage: (samples, signal) =>
      turns.takeTurn((runStep) => runStep(() => engine.detectLanguage(samples, signal))),
    close,
  };
}

function scheduledVad(vad: VadModel, { runStep }: TaskTurns): VadModel {
  return {
    open: () => {
      const stream = vad.open();
      return {
        push: (samples) => runStep(() => stream.push(samples)),
        flush: () => runStep(() => stream.flush()),
      };
    },
    close,
  };
}

function scheduledEmbedder(embedder: SpeakerEmbedder, { runStep }: TaskTurns): SpeakerEmbedder {
  return {
    embed: (samples) => runStep(() => embedder.embed(samples)),
    async openPhrase(samples) {
      const phrase = await runStep(() => embedder.openPhrase(samples));
      return { embed: (ranges) => runStep(() => phrase.embed(ranges)) };
    },
    close,
  };
}
