import { fileURLToPath } from 'node:url';
import type { Utterance } from '../../../domain/engines/tts-engine.ts';
import type { SpeakOptions, SpokenPart } from '../../../domain/speech/speech-workers.ts';
import type { WorkerSettings } from '../process/messages.ts';
import { WorkerProcess, type WorkerVitals } from '../process/worker-process.ts';
import type { SpeechJob } from './speech-job.ts';

const ENTRY = fileURLToPath(new URL('./speech-main.js', import.meta.url));

/** A worker process that speaks. */
export class SpeechProcess {
  readonly #process: WorkerProcess<SpeechJob, SpokenPart>;
  #pendingLetters = 0;

  private constructor(process: WorkerProcess<SpeechJob, SpokenPart>) {
    this.#process = process;
  }

  static async start(
    settings: WorkerSettings,
    { startTimeoutMs }: { readonly startTimeoutMs: number },
  ): Promise<SpeechProcess> {
    return new SpeechProcess(
      await WorkerProcess.start({ entry: ENTRY, settings, startTimeoutMs, niceness: 0 }),
    );
  }

  get pid(): number {
    return this.#process.pid;
  }

  get exited(): Promise<string> {
    return this.#process.exited;
  }

  get pendingRequests(): number {
    return this.#process.pendingRequests;
  }

  get overdueMs(): number {
    return this.#process.overdueMs;
  }

  /** Letters of text waiting to be spoken: a measure of how busy it is. */
  get pendingLetters(): number {
    return this.#pendingLetters;
  }

  load(engine: string): Promise<unknown> {
    return this.#process.load(engine);
  }

  ping(): Promise<WorkerVitals> {
    return this.#process.ping();
  }

  async *speak(engine: string, utterance: Utterance, options: SpeakOptions): AsyncGenerator<SpokenPart> {
    const letters = utterance.words.reduce((sum, word) => sum + word.text.length, 0);
    this.#pendingLetters += letters;
    try {
      const { dueAtMs, isOpening } = options;
      yield* this.#process.run({ engine, utterance, dueAtMs, isOpening }, options);
    } finally {
      this.#pendingLetters -= letters;
    }
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }

  kill(): void {
    this.#process.kill();
  }
}
