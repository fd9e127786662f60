import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, listen, RefusedError } from './listener.ts';
import { simulatePlayback } from './playback.ts';

/** What a crowd of listeners went through. */
export interface CrowdReport {
  readonly listeners: number;
  readonly requests: number;
  /** Answered with 429. */
  readonly refused: number;
  /** Answered in any other way than with speech. */
  readonly failed: number;
  readonly firstAudioMs: readonly number[];
  readonly underruns: number;
  readonly stalledSeconds: number;
  readonly audioSeconds: number;
  /** How many were playing on average, measured, and the most at once. */
  readonly meanPlaying: number;
  readonly mostPlaying: number;
}

export interface CrowdOptions {
  readonly listeners: number;
  readonly seconds: number;
  readonly textFor: (request: number) => string;
  /** How long one of these texts plays, about. */
  readonly textSeconds: number;
  /** How long somebody thinks between two texts, on average. */
  readonly thinkSeconds: number;
  /** From 0 to 1. */
  readonly random: () => number;
}

interface Playing {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Lets listeners come for a while, each for one text, at random moments that do not wait for anybody's answer:
 * as many as keep `listeners` people listening or thinking. A server that falls behind meets a growing crowd.
 */
export async function serveCrowd(address: Address, options: CrowdOptions): Promise<CrowdReport> {
  const { listeners, seconds, textSeconds, thinkSeconds, random } = options;
  const meanGapMs = ((textSeconds + thinkSeconds) * 1000) / listeners;
  const crowd = new Crowd(address, options.textFor);
  const startedAtMs = performance.now();
  const endsAtMs = startedAtMs + seconds * 1000;
  // The room is full when the doors open.
  for (let listener = 0; listener < listeners; listener++) crowd.come();
  for (;;) {
    await sleep(-Math.log(1 - random()) * meanGapMs);
    if (performance.now() >= endsAtMs) break;
    crowd.come();
  }
  return crowd.report(listeners, { fromMs: startedAtMs, toMs: endsAtMs });
}

class Crowd {
  readonly #address: Address;
  readonly #textFor: (request: number) => string;
  readonly #everybody: Promise<void>[] = [];
  readonly #playing: Playing[] = [];
  readonly #firstAudioMs: number[] = [];
  #refused = 0;
  #failed = 0;
  #underruns = 0;
  #stalledSeconds = 0;
  #audioSeconds = 0;

  constructor(address: Address, textFor: (request: number) => string) {
    this.#address = address;
    this.#textFor = textFor;
  }

  come(): void {
    this.#everybody.push(this.#listen(this.#textFor(this.#everybody.length)));
  }

  async report(listeners: number, span: Playing): Promise<CrowdReport> {
    await Promise.all(this.#everybody);
    return {
      listeners,
      requests: this.#everybody.length,
      refused: this.#refused,
      failed: this.#failed,
      firstAudioMs: this.#firstAudioMs,
      underruns: this.#underruns,
      stalledSeconds: this.#stalledSeconds,
      audioSeconds: this.#audioSeconds,
      ...countPlaying(this.#playing, span),
    };
  }

  async #listen(text: string): Promise<void> {
    try {
      const { startedAtMs, audibleAtMs, arrivals, audioSeconds } = await listen(this.#address, text);
      const { underruns, stalledSeconds } = simulatePlayback(arrivals, audibleAtMs);
      this.#firstAudioMs.push(audibleAtMs - startedAtMs);
      this.#underruns += underruns;
      this.#stalledSeconds += stalledSeconds;
      this.#audioSeconds += audioSeconds;
      this.#playing.push({ fromMs: audibleAtMs, toMs: audibleAtMs + (audioSeconds + stalledSeconds) * 1000 });
    } catch (error) {
      if (error instanceof RefusedError && error.status === 429) this.#refused++;
      else this.#failed++;
    }
  }
}

/** How many play at once within a span of time: on average, and at most. */
export function countPlaying(playing: readonly Playing[], span: Playing) {
  const inSpan = (ms: number) => Math.min(Math.max(ms, span.fromMs), span.toMs);
  const changes = playing
    .flatMap(({ fromMs, toMs }) => [
      { atMs: inSpan(fromMs), by: 1 },
      { atMs: inSpan(toMs), by: -1 },
    ])
    .sort((a, b) => a.atMs - b.atMs || a.by - b.by);
  let now = 0;
  let mostPlaying = 0;
  for (const { by } of changes) {
    now += by;
    mostPlaying = Math.max(mostPlaying, now);
  }
  const playedMs = playing.reduce((sum, { fromMs, toMs }) => sum + inSpan(toMs) - inSpan(fromMs), 0);
  return { meanPlaying: playedMs / (span.toMs - span.fromMs), mostPlaying };
}
