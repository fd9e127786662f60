import { setTimeout as delay } from 'node:timers/promises';
import type { Utterance } from '../../../src/domain/engines/tts-engine.ts';
import type {
  MeasuredSpeechPart,
  SpeakOptions,
  SpeechWorkers,
} from '../../../src/domain/speech/speech-workers.ts';

const RATE_HZ = 24_000;
const WINDOW_SAMPLES = 960;

export interface SineOptions {
  /** Time per window. */
  readonly windowMs: number;
  /** Audio per window. */
  readonly windowSamples?: number;
  /** Makes one window at a time for all utterances together, as a process with one engine does. */
  readonly isSerial?: boolean;
  /** Reported cost of a window. Default: `windowMs`. */
  readonly workSeconds?: number;
}

/**
 * Speech workers that render an utterance as a sine: one window per word (by default 40 ms of audio), from the seed. The
 * cost of a window is a timer, not CPU time.
 */
export class SineWorkers implements SpeechWorkers {
  readonly #windowMs: number;
  readonly #windowSamples: number;
  readonly #workSeconds: number;
  /** Windows that wait for the one engine of a serial worker, which makes the one that is due first. */
  readonly #waiting: { readonly dueAtMs: number; readonly start: () => void }[] = [];
  readonly #isSerial: boolean;
  #isBusy = false;
  active = 0;
  started = 0;
  windows = 0;

  constructor({ windowMs, windowSamples = WINDOW_SAMPLES, isSerial = false, workSeconds }: SineOptions) {
    this.#windowMs = windowMs;
    this.#windowSamples = windowSamples;
    this.#workSeconds = workSeconds ?? windowMs / 1000;
    this.#isSerial = isSerial;
  }

  async *speak(
    _engine: string,
    utterance: Utterance,
    { signal, dueAtMs }: SpeakOptions,
  ): AsyncGenerator<MeasuredSpeechPart> {
    this.active += 1;
    this.started += 1;
    const windowDurationMs = (this.#windowSamples / RATE_HZ) * 1000;
    try {
      for (const index of utterance.words.keys()) {
        await this.#work(dueAtMs + index * windowDurationMs, signal);
        this.windows += 1;
        const seconds = this.#windowSamples / RATE_HZ;
        yield {
          samples: sineWindow(utterance.seed, index, this.#windowSamples),
          sampleRateHz: RATE_HZ,
          workSeconds: this.#workSeconds,
          wordTimes: [{ wordIndex: index, startSeconds: index * seconds, endSeconds: (index + 1) * seconds }],
        };
      }
    } finally {
      this.active -= 1;
    }
  }

  async #work(dueAtMs: number, signal: AbortSignal): Promise<void> {
    if (!this.#isSerial) {
      await delay(this.#windowMs, undefined, { signal });
      return;
    }
    await new Promise<void>((start) => {
      this.#waiting.push({ dueAtMs, start });
      this.#startNext();
    });
    if (!signal.aborted) await delay(this.#windowMs);
    this.#isBusy = false;
    this.#startNext();
    signal.throwIfAborted();
  }

  #startNext(): void {
    const [first] = this.#waiting;
    if (this.#isBusy || first === undefined) return;
    const next = this.#waiting.reduce((best, each) => (each.dueAtMs < best.dueAtMs ? each : best), first);
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    this.#isBusy = true;
    next.start();
  }
}

/** The samples of a whole utterance. */
export function sineOf({ words, seed }: Pick<Utterance, 'words' | 'seed'>): Float32Array {
  return joinSamples(words.map((_, index) => sineWindow(seed, index)));
}

export function joinSamples(parts: readonly Float32Array[]): Float32Array {
  const joined = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let position = 0;
  for (const part of parts) {
    joined.set(part, position);
    position += part.length;
  }
  return joined;
}

function sineWindow(seed: number, index: number, length = WINDOW_SAMPLES): Float32Array {
  const samples = new Float32Array(length);
  for (let sample = 0; sample < length; sample++)
    samples[sample] = Math.sin(((index * length + sample) * (100 + (seed % 50))) / RATE_HZ);
  return samples;
}

/** An utterance of this many words. */
export function sineUtterance(wordCount: number, seed: number): Utterance {
  const words = Array.from({ length: wordCount }, (_, index) => ({
    text: `word${index}`,
    start: 0,
    end: 0,
    before: '',
    after: '',
  }));
  return { words, language: 'en-US', voice: { kind: 'named', name: `voice-${seed}` }, speed: 1, seed };
}
