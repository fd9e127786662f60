import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchContext } from '../bench-context.ts';
import { streamSpeech, timeToFirstAudioMs } from '../clients/http-client.ts';
import { LiveClient } from '../clients/live-client.ts';
import type { ServerProcess } from '../processes/server-process.ts';
import { atMost, ms, type PartReport, type Row, times } from '../report.ts';
import { median, quantile } from '../statistics.ts';
import { TEXTS } from '../texts.ts';

/** Time for the server to cancel an abandoned request, so that it does not affect the next measurement. */
const PAUSE_MS = 400;
const LENGTH_RATIO_MAX = 1.3;
const P50_MAX_MS = 120;
const P95_MAX_MS = 250;
const LIVE_P50_MAX_MS = 100;

/** Time to first audio, and real-time factor of a single stream. */
export async function measureFirstAudio({ server, effort }: BenchContext): Promise<PartReport> {
  const lengths = Object.entries(TEXTS);
  const waitsMs = new Map<string, number[]>(lengths.map(([length]) => [length, []]));
  // Alternating, so that other load is spread over all texts.
  for (let run = 0; run < effort.firstAudioRuns; run++) {
    for (const [length, text] of lengths) {
      waitsMs.get(length)!.push(await timeToFirstAudioMs(server, text));
      await sleep(PAUSE_MS);
    }
  }
  const liveWaitsMs = await measureLive(server, effort.firstAudioRuns);
  const realTimeFactors = new Map<string, number[]>();
  for (const [length, text] of lengths) {
    const factors: number[] = [];
    for (let run = 0; run < effort.realTimeRuns; run++) {
      const { startedAtMs, endedAtMs, audioSeconds } = await streamSpeech(server, text);
      factors.push((endedAtMs - startedAtMs) / 1000 / audioSeconds);
    }
    realTimeFactors.set(length, factors);
  }

  const p50 = (length: string) => median(waitsMs.get(length)!);
  const lengthRatio = p50('1500') / p50('60');
  const rows: Row[] = [
    ...lengths.flatMap(([length]) => waitRows(`first audio, ${length} characters`, waitsMs.get(length)!)),
    {
      what: 'first audio over a warm live socket, p50',
      value: ms(median(liveWaitsMs)),
      target: atMost(median(liveWaitsMs), LIVE_P50_MAX_MS, ' ms'),
    },
    {
      what: 'first audio of 1500 characters to that of 60',
      value: times(lengthRatio),
      target: atMost(lengthRatio, LENGTH_RATIO_MAX, ' ×'),
    },
    ...lengths.map(([length]) => ({
      what: `real-time factor, one stream, ${length} characters`,
      value: median(realTimeFactors.get(length)!).toFixed(3),
    })),
  ];
  return {
    rows,
    data: {
      waitsMs: Object.fromEntries(waitsMs),
      liveWaitsMs,
      realTimeFactors: Object.fromEntries(realTimeFactors),
      lengthRatio,
    },
  };
}

function waitRows(what: string, waitsMs: readonly number[]): Row[] {
  const p50 = median(waitsMs);
  const p95 = quantile(waitsMs, 0.95);
  return [
    { what: `${what}, p50`, value: ms(p50), target: atMost(p50, P50_MAX_MS, ' ms') },
    { what: `${what}, p95`, value: ms(p95), target: atMost(p95, P95_MAX_MS, ' ms') },
  ];
}

/** Sequential sentences over one socket, as a voice agent sends them. */
async function measureLive(server: ServerProcess, runs: number): Promise<number[]> {
  const client = await LiveClient.open(server);
  const waitsMs: number[] = [];
  try {
    for (let run = 0; run < runs; run++) {
      waitsMs.push(await client.timeToFirstAudioMs(TEXTS[60]));
      await sleep(PAUSE_MS);
    }
  } finally {
    client.close();
  }
  return waitsMs;
}
