import { fileURLToPath } from 'node:url';
import type { SpeechService } from '../../../src/domain/speech/speech-service.ts';
import type {
  LiveTranscriptionEvent,
  TranscriptionEvent,
  TranscriptionService,
} from '../../../src/domain/transcription/transcription-service.ts';
import { OnDemandPool } from '../../../src/inference/runtime/process/on-demand-pool.ts';
import { ScriptedTranscription } from './scripted-transcription.ts';
import type { TickJob } from './tick-worker-main.ts';

const KIND = {
  entry: fileURLToPath(new URL('./tick-worker-main.js', import.meta.url)),
  niceness: 0,
  displayName: 'test worker',
};

/**
 * Paces streams by the ticks of a supervised worker process. A stream whose worker is killed fails with
 * `engine_failed`, as that of an engine does.
 */
export class WorkerPace {
  readonly #pool = new OnDemandPool<TickJob, number>(KIND, {
    count: 1,
    settings: { modelsRoot: '', assetsRoot: '', threads: 1 },
    policy: { startTimeoutMs: 30_000, memoryMaxBytes: 2 ** 40, backOffMinMs: 1, backOffMaxMs: 5 },
    waitForWorkerMs: 30_000,
    idleMs: 0,
    prepare: async () => {},
    onEvent: () => {},
  });
  readonly #everyMs: number;
  readonly #onWorker: (pid: number) => void;
  #lastPid = 0;

  /** `onWorker` is called with the process id of each new worker. */
  constructor(options: { readonly everyMs: number; readonly onWorker: (pid: number) => void }) {
    this.#everyMs = options.everyMs;
    this.#onWorker = options.onWorker;
  }

  /** Passes items on, one per tick. */
  async *pace<Item>(items: AsyncIterable<Item>, signal: AbortSignal): AsyncGenerator<Item> {
    const ticks = this.#pool.run({ everyMs: this.#everyMs }, { signal });
    try {
      for await (const item of items) {
        const tick = await ticks.next();
        if (!tick.done) this.#report(tick.value);
        yield item;
      }
    } finally {
      await ticks.return(undefined);
    }
  }

  #report(pid: number): void {
    if (pid === this.#lastPid) return;
    this.#lastPid = pid;
    this.#onWorker(pid);
  }
}

/** A speech service whose streams run at the pace of a worker. */
export function paceSpeech(speech: SpeechService, pace: WorkerPace): SpeechService {
  return {
    speak: async (request, signal) => {
      const result = await speech.speak(request, signal);
      return { ...result, body: pace.pace(result.body, signal) };
    },
    speakTimed: async (request, signal) => {
      const result = await speech.speakTimed(request, signal);
      return { ...result, body: pace.pace(result.body, signal) };
    },
    speakLive: (request, signal) => {
      const result = speech.speakLive(request, signal);
      return { ...result, body: pace.pace(result.body, signal) };
    },
  };
}

/** Scripted transcription at the pace of a worker. */
export class PacedTranscription extends ScriptedTranscription {
  readonly #pace: WorkerPace;

  constructor(pace: WorkerPace) {
    super();
    this.#pace = pace;
  }

  override transcribe(
    ...[request, signal]: Parameters<TranscriptionService['transcribe']>
  ): AsyncGenerator<TranscriptionEvent> {
    return this.#pace.pace(super.transcribe(request, signal), signal);
  }

  override transcribeLive(
    ...[options, input, signal]: Parameters<TranscriptionService['transcribeLive']>
  ): AsyncGenerator<LiveTranscriptionEvent> {
    return this.#pace.pace(super.transcribeLive(options, input, signal), signal);
  }
}
