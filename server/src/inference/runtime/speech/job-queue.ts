import type { SpeechPart } from '../../../domain/engines/tts-engine.ts';
import { SmallMap } from '../process/small-map.ts';
import { type Candidate, mostUrgent } from './urgency.ts';

/** One utterance being spoken. */
export interface Job {
  readonly id: number;
  readonly dueAtMs: number;
  /** It opens its stream: nothing of that was heard yet. */
  readonly isOpening: boolean;
  /** Makes the next audio: one bounded step of work. */
  step(): Promise<IteratorResult<SpeechPart, unknown>>;
  /** `workSeconds` is what was done for it. */
  onAudio(part: SpeechPart, workSeconds: number): void;
  onEnd(): void;
  onError(error: unknown): void;
}

interface Entry extends Candidate {
  readonly job: Job;
  dueAtMs: number;
  stepMs: number;
  isNew: boolean;
  /** What steps took that gave nothing to hear yet. */
  silentMs: number;
}

/** How much the last one counts in what first steps usually take. */
const NEWS_WEIGHT = 0.2;

/**
 * Takes turns between utterances, one step at a time. The next step goes to the utterance whose listener will be
 * the first to run dry, or to a new stream when the others can wait that long.
 */
export class JobQueue {
  readonly #entries = new SmallMap<Entry>();
  readonly #breathe: () => Promise<void>;
  /** What the first step of a stream usually takes: it reads a whole utterance, and is longer than others. */
  #firstStepMs = 0;
  #arrivals = 0;
  #isRunning = false;

  /** `breathe` is awaited between steps, so that messages such as a cancel can come in. */
  constructor(breathe: () => Promise<void>) {
    this.#breathe = breathe;
  }

  add(job: Job): void {
    const { dueAtMs, isOpening: isNew } = job;
    const arrival = this.#arrivals++;
    this.#entries.add(job.id, {
      job,
      dueAtMs,
      stepMs: this.#firstStepMs,
      isNew,
      silentMs: 0,
      arrival,
    });
    if (!this.#isRunning) void this.#run();
  }

  /** Forgets a job; returns whether it was there. A step that is under way ends, but its audio is dropped. */
  remove(id: number): boolean {
    return this.#entries.delete(id);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let entry = this.#next(); entry !== undefined; entry = this.#next()) {
      await this.#advance(entry);
      await this.#breathe();
    }
    this.#isRunning = false;
  }

  #next(): Entry | undefined {
    return mostUrgent(this.#entries.values(), Date.now());
  }

  async #advance(entry: Entry): Promise<void> {
    const { job } = entry;
    const startedAtMs = performance.now();
    try {
      const result = await job.step();
      if (!this.#entries.has(job.id)) return;
      if (result.done === true) {
        this.#entries.delete(job.id);
        job.onEnd();
        return;
      }
      const workMs = entry.silentMs + performance.now() - startedAtMs;
      const isHeard = result.value.samples.length > 0;
      entry.silentMs = isHeard ? 0 : workMs;
      if (!isHeard) return;
      this.#note(entry, result.value, workMs);
      job.onAudio(result.value, workMs / 1000);
    } catch (error) {
      if (this.#entries.delete(job.id)) job.onError(error);
    }
  }

  #note(entry: Entry, { samples, sampleRateHz }: SpeechPart, workMs: number): void {
    if (entry.isNew) this.#firstStepMs += (workMs - this.#firstStepMs) * NEWS_WEIGHT;
    entry.stepMs = workMs;
    // Its listener begins to listen now.
    if (entry.isNew) entry.dueAtMs = Date.now();
    entry.isNew = false;
    entry.dueAtMs += (samples.length / sampleRateHz) * 1000;
  }
}
