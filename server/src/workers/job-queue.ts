import type { SpeechPart } from '../engines/engine.ts';

/** One utterance being spoken. */
export interface Job {
  readonly id: number;
  readonly dueAtMs: number;
  /** Makes the next audio: one bounded step of work. */
  step(): Promise<IteratorResult<SpeechPart, unknown>>;
  onAudio(part: SpeechPart): void;
  onEnd(): void;
  onError(error: unknown): void;
}

interface Entry {
  readonly job: Job;
  readonly arrival: number;
  spokenMs: number;
}

/**
 * Takes turns between utterances, one step at a time. The next step always goes to the utterance whose
 * listener will be the first to run dry: a new one at once, one that is far ahead last.
 */
export class JobQueue {
  readonly #entries = new Map<number, Entry>();
  readonly #breathe: () => Promise<void>;
  #arrivals = 0;
  #isRunning = false;

  /** `breathe` is awaited between steps, so that messages such as a cancel can come in. */
  constructor(breathe: () => Promise<void>) {
    this.#breathe = breathe;
  }

  add(job: Job): void {
    this.#entries.set(job.id, { job, arrival: this.#arrivals++, spokenMs: 0 });
    if (!this.#isRunning) void this.#run();
  }

  /** Forgets a job; returns whether it was there. A step that is under way ends, but its audio is dropped. */
  remove(id: number): boolean {
    return this.#entries.delete(id);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let entry = this.#mostUrgent(); entry !== undefined; entry = this.#mostUrgent()) {
      await this.#advance(entry);
      await this.#breathe();
    }
    this.#isRunning = false;
  }

  async #advance(entry: Entry): Promise<void> {
    const { job } = entry;
    try {
      const result = await job.step();
      if (!this.#entries.has(job.id)) return;
      if (result.done === true) {
        this.#entries.delete(job.id);
        job.onEnd();
      } else {
        const part = result.value;
        entry.spokenMs += (part.samples.length / part.sampleRateHz) * 1000;
        job.onAudio(part);
      }
    } catch (error) {
      if (this.#entries.delete(job.id)) job.onError(error);
    }
  }

  #mostUrgent(): Entry | undefined {
    let best: Entry | undefined;
    for (const entry of this.#entries.values()) {
      if (best === undefined || isMoreUrgent(entry, best)) best = entry;
    }
    return best;
  }
}

function isMoreUrgent(a: Entry, b: Entry): boolean {
  const dueA = a.job.dueAtMs + a.spokenMs;
  const dueB = b.job.dueAtMs + b.spokenMs;
  return dueA < dueB || (dueA === dueB && a.arrival < b.arrival);
}
