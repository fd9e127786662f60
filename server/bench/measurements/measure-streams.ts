import type { BenchContext } from '../bench-context.ts';
import { streamSpeech } from '../clients/http-client.ts';
import { type Playback, simulatePlayback } from '../clients/playback.ts';
import { atMost, ms, type PartReport, type Row } from '../report.ts';
import { sum } from '../statistics.ts';

/** Concurrent listeners that two cores must serve without underruns; more are measured for information. */
const LISTENERS_TARGET = 4;

/** Result for a number of concurrent listeners. */
interface ConcurrencyResult {
  readonly listeners: number;
  readonly underruns: number;
  readonly stalledSeconds: number;
  readonly smallestLeadSeconds: number;
  readonly lastFirstAudioMs: number;
  /** Seconds of audio per second, over all listeners. */
  readonly throughput: number;
  readonly playbacks: readonly Playback[];
}

/** Underruns of concurrent listeners whose players start at first audio. */
export async function measureStreams(context: BenchContext): Promise<PartReport> {
  const results: ConcurrencyResult[] = [];
  for (const listeners of context.effort.listeners) results.push(await runConcurrently(context, listeners));
  return { rows: results.flatMap(describe), data: results };
}

async function runConcurrently(
  { server, effort }: BenchContext,
  listeners: number,
): Promise<ConcurrencyResult> {
  const startedAtMs = performance.now();
  const streams = await Promise.all(
    Array.from({ length: listeners }, (_, listener) => streamSpeech(server, effort.listenerText(listener))),
  );
  const elapsedSeconds = (performance.now() - startedAtMs) / 1000;
  const playbacks = streams.map(({ arrivals, audibleAtMs }) => simulatePlayback(arrivals, audibleAtMs));
  return {
    listeners,
    underruns: sum(playbacks.map((playback) => playback.underruns)),
    stalledSeconds: sum(playbacks.map((playback) => playback.stalledSeconds)),
    smallestLeadSeconds: Math.min(...playbacks.map((playback) => playback.smallestLeadSeconds)),
    lastFirstAudioMs: Math.max(...streams.map((stream) => stream.audibleAtMs - stream.startedAtMs)),
    throughput: sum(streams.map(({ audioSeconds }) => audioSeconds)) / elapsedSeconds,
    playbacks,
  };
}

function describe(result: ConcurrencyResult): Row[] {
  const { listeners, underruns, stalledSeconds, smallestLeadSeconds, lastFirstAudioMs, throughput } = result;
  const subject = listeners === 1 ? '1 listener' : `${listeners} listeners`;
  const gaps = underruns === 0 ? '0' : `${underruns} (${ms(stalledSeconds * 1000)} of silence)`;
  return [
    {
      what: `${subject}: underruns`,
      value: gaps,
      ...(listeners <= LISTENERS_TARGET && { target: atMost(underruns, 0) }),
    },
    {
      what: `${subject}: smallest lead, slowest first audio`,
      value: `${ms(smallestLeadSeconds * 1000)}, ${ms(lastFirstAudioMs)}`,
    },
    { what: `${subject}: audio seconds per second`, value: throughput.toFixed(1) },
  ];
}
