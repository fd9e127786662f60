import { fileURLToPath } from 'node:url';
import { unpackSamples } from '../../../audio/packed-samples.ts';
import type { Utterance } from '../../../domain/engines/tts-engine.ts';
import type { MeasuredSpeechPart, SpeakOptions } from '../../../domain/speech/speech-workers.ts';
import type { Span } from '../../../tracing/tracing.ts';
import type { WorkerSettings } from '../process/messages.ts';
import { prepareProcess, type SpareOrder } from '../process/spare-process.ts';
import { WorkerProcess, type WorkerVitals } from '../process/worker-process.ts';
import { SentVectors } from './kept-vectors.ts';
import type { SpeechEvent, SpeechJob } from './speech-job.ts';

const ENTRY = fileURLToPath(new URL('./speech-main.js', import.meta.url));

/** Starts a speech worker process that loads an engine while the server loads its modules. */
export function prepareSpeechProcess(order: SpareOrder): void {
  prepareProcess(ENTRY, order);
}

/** The parent's side of a speech worker process. */
export class SpeechProcess {
  readonly #process: WorkerProcess<SpeechJob, SpeechEvent>;
  readonly #vectors = new SentVectors();
  #pendingCharacters = 0;

  private constructor(process: WorkerProcess<SpeechJob, SpeechEvent>) {
    this.#process = process;
  }

  static async start(
    settings: WorkerSettings,
    {
      startTimeoutMs,
      entry = ENTRY,
    }: { readonly startTimeoutMs: number; readonly entry?: string | undefined },
  ): Promise<SpeechProcess> {
    return new SpeechProcess(await WorkerProcess.start({ entry, settings, startTimeoutMs, niceness: 0 }));
  }

  get pid(): number {
    return this.#process.pid;
  }

  get exited(): Promise<string> {
    return this.#process.exited;
  }

  get isAlive(): boolean {
    return this.#process.isAlive;
  }

  get pendingRequests(): number {
    return this.#process.pendingRequests;
  }

  get cancelledJob(): number | undefined {
    return this.#process.cancelledJob;
  }

  get step(): object | undefined {
    return this.#process.step;
  }

  /** Characters of pending text: the measure of load. */
  get pendingCharacters(): number {
    return this.#pendingCharacters;
  }

  load(engine: string): Promise<unknown> {
    return this.#process.load(engine);
  }

  ping(): Promise<WorkerVitals> {
    return this.#process.ping();
  }

  async *speak(
    engine: string,
    utterance: Utterance,
    options: SpeakOptions & { readonly span?: Span | undefined },
  ): AsyncGenerator<MeasuredSpeechPart> {
    const characters = utterance.words.reduce((sum, word) => sum + word.text.length, 0);
    this.#pendingCharacters += characters;
    try {
      const { dueAtMs, isFirstAudio, accountId, signal } = options;
      // The job of an aborted signal is not sent, and neither is its vector.
      signal.throwIfAborted();
      const job = { engine, ...this.#vectors.pack(utterance), dueAtMs, isFirstAudio, accountId };
      for await (const part of this.#process.run(job, options)) {
        yield { samples: unpackSamples(part.packed), ...part };
      }
    } finally {
      this.#pendingCharacters -= characters;
    }
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }

  kill(): void {
    this.#process.kill();
  }
}
