import type { BenchContext } from './bench-context.ts';
import { listen } from './listener.ts';
import { type Playback, simulatePlayback } from './playback.ts';
import { atMost, ms, type PartReport, type Row } from './report.ts';
import { sum } from './statistics.ts';

/** Listeners that a machine with two cores must serve without a gap; more are measured for information. */
const LISTENERS_TARGET = 4;

/** What so many listeners at once would have heard. */
interface Crowd {
  readonly listeners: number;
  readonly underruns: number;
  readonly stalledSeconds: number;
  readonly smallestLeadSeconds: number;
  readonly lastFirstAudioMs: number;
  /** Seconds of audio made per second, over all listeners. */
  readonly throughput: number;
  readonly playbacks: readonly Playback[];
}

/** Whether players that start at the first sound would ever run dry, with several listeners at once. */
export async function measureStreams(context: BenchContext): Promise<PartReport> {
  const crowds: Crowd[] = [];
  for (const listeners of context.effort.listeners) crowds.push(await serveCrowd(context, listeners));
  return { rows: crowds.flatMap(describe), data: crowds };
}

async function serveCrowd({ server, effort }: BenchContext, listeners: number): Promise<Crowd> {
  const startedAtMs = performance.now();
  const heard = await Promise.all(
    Array.from({ length: listeners }, (_, listener) => listen(server, effort.listenerText(listener))),
  );
  const elapsedSeconds = (performance.now() - startedAtMs) / 1000;
  const playbacks = heard.map(({ arrivals, audibleAtMs }) => simulatePlayback(arrivals, audibleAtMs));
  return {
    listeners,
    underruns: sum(playbacks.map((playback) => playback.underruns)),
    stalledSeconds: sum(playbacks.map((playback) => playback.stalledSeconds)),
    smallestLeadSeconds: Math.min(...playbacks.map((playback) => playback.smallestLeadSeconds)),
    lastFirstAudioMs: Math.max(...heard.map((one) => one.audibleAtMs - one.startedAtMs)),
    throughput: sum(heard.map(({ audioSeconds }) => audioSeconds)) / elapsedSeconds,
    playbacks,
  };
}

function describe(crowd: Crowd): Row[] {
  const { listeners, underruns, stalledSeconds, smallestLeadSeconds, lastFirstAudioMs, throughput } = crowd;
  const who = listeners === 1 ? '1 listener' : `${listeners} listeners`;
  const gaps = underruns === 0 ? '0' : `${underruns} (${ms(stalledSeconds * 1000)} of silence)`;
  return [
    {
      what: `${who}: underruns`,
      value: gaps,
      ...(listeners <= LISTENERS_TARGET && { target: atMost(underruns, 0) }),
    },
    {
      what: `${who}: smallest lead, slowest first audio`,
      value: `${ms(smallestLeadSeconds * 1000)}, ${ms(lastFirstAudioMs)}`,
    },
    { what: `${who}: audio seconds per second`, value: throughput.toFixed(1) },
  ];
}
