import { silentTailLength } from '../../../audio/dsp/silent-tail.ts';
import type { SpeechPart } from '../../../domain/engines/tts-engine.ts';
import { SmallMap } from '../process/small-map.ts';
import { type StepCandidate, selectNextStep } from './step-scheduling.ts';

/** One utterance in synthesis. */
export interface ScheduledJob {
  readonly id: number;
  readonly dueAtMs: number;
  /** Whether it is the first utterance of its stream. */
  readonly isFirstAudio: boolean;
  readonly accountId: string;
  /** Synthesizes the next audio: one bounded step of work. */
  step(): Promise<IteratorResult<SpeechPart, unknown>>;
  /** `workSeconds` is the time spent on this audio. */
  onAudio(part: SpeechPart, workSeconds: number): void;
  onEnd(): void;
  onError(error: unknown): void;
}

export interface JobQueueOptions {
  /** Awaited between steps, so that messages such as `cancel` are received. */
  readonly yieldToEvents: () => Promise<void>;
  /** Called before each step with the id of its job, and with undefined when no step is left. */
  readonly onStep?: (jobId: number | undefined) => void;
}

interface Entry extends StepCandidate {
  readonly job: ScheduledJob;
  dueAtMs: number;
  stepMs: number;
  awaitsFirstAudio: boolean;
  /** Time spent on steps without audio since the last audio. */
  workWithoutAudioMs: number;
  /** Silence at the end of the audio so far. The server process holds it back until it knows what follows. */
  heldMs: number;
}

/** Accounts whose turn is remembered. */
const SERVED_ACCOUNTS_MAX = 64;

/**
 * Audio leaves the worker this long before it is due: the server process trims the onset of a stream, and serves other
 * streams before it sends a part.
 */
const DELIVERY_MS = 160;

/** Weight of the latest value in the moving average of first steps. */
const FIRST_STEP_WEIGHT = 0.2;

/**
 * Runs the steps of several utterances, one at a time. The next step belongs to the utterance with the earliest
 * underrun, or to a new stream when the others can wait (`selectNextStep`). New streams are served in turn by account.
 */
export class JobQueue {
  readonly #entries = new SmallMap<Entry>();
  readonly #options: JobQueueOptions;
  /** The accounts whose streams had a first step, the most recent last. */
  readonly #servedAccounts: string[] = [];
  /** Mean duration of the first step of a stream. It processes the entire utterance and is longer than others. */
  #firstStepMs = 0;
  #arrivals = 0;
  /** The utterance whose decoding has ended. Its last steps do not wait for those of others. */
  #ending: Entry | undefined;
  #isRunning = false;

  constructor(options: JobQueueOptions) {
    this.#options = options;
  }

  add(job: ScheduledJob): void {
    const { accountId, isFirstAudio: awaitsFirstAudio } = job;
    const dueAtMs = awaitsFirstAudio ? job.dueAtMs : job.dueAtMs - DELIVERY_MS;
    const arrival = this.#arrivals++;
    this.#entries.add(job.id, {
      job,
      dueAtMs,
      accountId,
      stepMs: this.#firstStepMs,
      awaitsFirstAudio,
      workWithoutAudioMs: 0,
      heldMs: 0,
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
      this.#options.onStep?.(entry.job.id);
      if (entry.awaitsFirstAudio) this.#markServed(entry.accountId);
      await this.#advance(entry);
      await this.#options.yieldToEvents();
    }
    this.#options.onStep?.(undefined);
    this.#isRunning = false;
  }

  #next(): Entry | undefined {
    if (this.#ending !== undefined && this.#entries.has(this.#ending.job.id)) return this.#ending;
    this.#ending = undefined;
    return selectNextStep(this.#entries.values(), {
      nowMs: Date.now(),
      lastServed: (accountId) => this.#servedAccounts.indexOf(accountId),
    });
  }

  #markServed(accountId: string): void {
    const index = this.#servedAccounts.indexOf(accountId);
    if (index >= 0) this.#servedAccounts.splice(index, 1);
    this.#servedAccounts.push(accountId);
    if (this.#servedAccounts.length > SERVED_ACCOUNTS_MAX) this.#servedAccounts.shift();
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
      if (result.value.endsDecoding) this.#ending = entry;
      const workMs = entry.workWithoutAudioMs + performance.now() - startedAtMs;
      const hasAudio = result.value.samples.length > 0;
      entry.workWithoutAudioMs = hasAudio ? 0 : workMs;
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
    if (entry.awaitsFirstAudio) entry.dueAtMs = Date.now() - DELIVERY_MS;
    entry.awaitsFirstAudio = false;
    const silent = silentTailLength(samples);
    const durationMs = (samples.length / sampleRateHz) * 1000;
    const silentMs = (silent / sampleRateHz) * 1000;
    // Silence after silence is held back too.
    const heldMs = silent === samples.length ? entry.heldMs + silentMs : silentMs;
    entry.dueAtMs += durationMs + entry.heldMs - heldMs;
    entry.heldMs = heldMs;
  }
}
