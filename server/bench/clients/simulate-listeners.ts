import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, RefusedError, streamSpeech } from './http-client.ts';
import { simulatePlayback } from './playback.ts';

/** Result of a load test. */
export interface LoadReport {
  readonly listeners: number;
  readonly requests: number;
  /** Responses with status 429. */
  readonly refused: number;
  /** Other failed requests. */
  readonly failed: number;
  readonly firstAudioMs: readonly number[];
  readonly underruns: number;
  readonly stalledSeconds: number;
  readonly audioSeconds: number;
  /** Mean and maximum number of concurrent playbacks. */
  readonly meanPlaying: number;
  readonly maxPlaying: number;
}

export interface LoadOptions {
  readonly listeners: number;
  readonly seconds: number;
  readonly textFor: (request: number) => string;
  /** Approximate mean playback duration of a text. */
  readonly textSeconds: number;
  /** Mean pause of a listener between two texts. */
  readonly thinkSeconds: number;
  /** From 0 to 1. */
  readonly random: () => number;
}

interface Interval {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Open-loop load test: requests arrive as a Poisson process, independent of responses, at the rate that keeps
 * `listeners` listeners playing or pausing. If the server falls behind, the number of open requests grows.
 */
export async function simulateListeners(address: Address, options: LoadOptions): Promise<LoadReport> {
  const { listeners, seconds, textSeconds, thinkSeconds, random } = options;
  const meanGapMs = ((textSeconds + thinkSeconds) * 1000) / listeners;
  const simulation = new ListenerSimulation(address, options.textFor);
  const startedAtMs = performance.now();
  const endsAtMs = startedAtMs + seconds * 1000;
  // Start with all listeners active.
  for (let listener = 0; listener < listeners; listener++) simulation.start();
  for (;;) {
    await sleep(-Math.log(1 - random()) * meanGapMs);
    if (performance.now() >= endsAtMs) break;
    simulation.start();
  }
  return simulation.report(listeners, { fromMs: startedAtMs, toMs: endsAtMs });
}

class ListenerSimulation {
  readonly #address: Address;
  readonly #textFor: (request: number) => string;
  readonly #requests: Promise<void>[] = [];
  readonly #playing: Interval[] = [];
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

  start(): void {
    this.#requests.push(this.#request(this.#textFor(this.#requests.length)));
  }

  async report(listeners: number, span: Interval): Promise<LoadReport> {
    await Promise.all(this.#requests);
    return {
      listeners,
      requests: this.#requests.length,
      refused: this.#refused,
      failed: this.#failed,
      firstAudioMs: this.#firstAudioMs,
      underruns: this.#underruns,
      stalledSeconds: this.#stalledSeconds,
      audioSeconds: this.#audioSeconds,
      ...countPlaying(this.#playing, span),
    };
  }

  async #request(text: string): Promise<void> {
    try {
      const { startedAtMs, audibleAtMs, arrivals, audioSeconds } = await streamSpeech(this.#address, text);
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

/** Mean and maximum number of concurrent playbacks within a time span. */
export function countPlaying(playing: readonly Interval[], span: Interval) {
  const inSpan = (ms: number) => Math.min(Math.max(ms, span.fromMs), span.toMs);
  const changes = playing
    .flatMap(({ fromMs, toMs }) => [
      { atMs: inSpan(fromMs), by: 1 },
      { atMs: inSpan(toMs), by: -1 },
    ])
    .sort((a, b) => a.atMs - b.atMs || a.by - b.by);
  let now = 0;
  let maxPlaying = 0;
  for (const { by } of changes) {
    now += by;
    maxPlaying = Math.max(maxPlaying, now);
  }
  const playedMs = playing.reduce((sum, { fromMs, toMs }) => sum + inSpan(toMs) - inSpan(fromMs), 0);
  return { meanPlaying: playedMs / (span.toMs - span.fromMs), maxPlaying };
}
