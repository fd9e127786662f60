import type { SpeechPart } from '../../../domain/engines/tts-engine.ts';
import { SmallMap } from '../process/small-map.ts';
import { type StepCandidate, selectNextStep } from './step-scheduling.ts';

/** One utterance in synthesis. */
export interface ScheduledJob {
  readonly id: number;
  readonly dueAtMs: number;
  /** Whether it is the first utterance of its stream. */
  readonly isFirstAudio: boolean;
  /** Synthesizes the next audio: one bounded step of work. */
  step(): Promise<IteratorResult<SpeechPart, unknown>>;
  /** `workSeconds` is the time spent on this audio. */
  onAudio(part: SpeechPart, workSeconds: number): void;
  onEnd(): void;
  onError(error: unknown): void;
}

interface Entry extends StepCandidate {
  readonly job: ScheduledJob;
  dueAtMs: number;
  stepMs: number;
  awaitsFirstAudio: boolean;
  /** Time spent on steps without audio since the last audio. */
  silentMs: number;
}

/** Weight of the latest value in the moving average of first steps. */
const FIRST_STEP_WEIGHT = 0.2;

/**
 * Runs the steps of several utterances, one at a time. The next step belongs to the utterance with the earliest
 * underrun, or to a new stream when the others can wait (`selectNextStep`).
 */
export class JobQueue {
  readonly #entries = new SmallMap<Entry>();
  readonly #yieldToEvents: () => Promise<void>;
  /** Mean duration of the first step of a stream. It processes the entire utterance and is longer than others. */
  #firstStepMs = 0;
  #arrivals = 0;
  #isRunning = false;

  /** `yieldToEvents` is awaited between steps, so that messages such as `cancel` are received. */
  constructor(yieldToEvents: () => Promise<void>) {
    this.#yieldToEvents = yieldToEvents;
  }

  add(job: ScheduledJob): void {
    const { dueAtMs, isFirstAudio: awaitsFirstAudio } = job;
    const arrival = this.#arrivals++;
    this.#entries.add(job.id, {
      job,
      dueAtMs,
      stepMs: this.#firstStepMs,
      awaitsFirstAudio,
      silentMs: 0,
      arrival,
    });
    if (!this.#isRunning) void this.#run();
  }

  /** Removes a job and returns whether it was present. A running step completes, but its audio is discarded. */
  remove(id: number): boolean {
    return this.#entries.delete(id);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let entry = this.#next(); entry !== undefined; entry = this.#next()) {
      await this.#advance(entry);
      await this.#yieldToEvents();
    }
    this.#isRunning = false;
  }

  #next(): Entry | undefined {
    return selectNextStep(this.#entries.values(), Date.now());
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
      const hasAudio = result.value.samples.length > 0;
      entry.silentMs = hasAudio ? 0 : workMs;
      if (!hasAudio) return;
      this.#recordStep(entry, result.value, workMs);
      job.onAudio(result.value, workMs / 1000);
    } catch (error) {
      if (this.#entries.delete(job.id)) job.onError(error);
    }
  }

  #recordStep(entry: Entry, { samples, sampleRateHz }: SpeechPart, workMs: number): void {
    if (entry.awaitsFirstAudio) this.#firstStepMs += (workMs - this.#firstStepMs) * FIRST_STEP_WEIGHT;
    entry.stepMs = workMs;
    // Playback starts now.
    if (entry.awaitsFirstAudio) entry.dueAtMs = Date.now();
    entry.awaitsFirstAudio = false;
    entry.dueAtMs += (samples.length / sampleRateHz) * 1000;
  }
}
