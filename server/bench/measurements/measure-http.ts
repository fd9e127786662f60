import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BenchContext } from '../bench-context.ts';
import { ENGINE_RATE_HZ, pcmOf } from '../clients/http-client.ts';
import { type ListenersCall, type ListenersReport, runListeners } from '../processes/listeners.ts';
import { ServerProcess } from '../processes/server-process.ts';
import { RECORDED_SPEECH, RECORDED_SPEECH_FOLDER } from '../processes/zero-cost/recorded-speech.ts';
import { atMost, megabytes, ms, type PartReport, type Row } from '../report.ts';
import { median, quantile } from '../statistics.ts';
import { TEXTS } from '../texts.ts';

const ENTRY = fileURLToPath(new URL('../processes/zero-cost/zero-cost-server-main.js', import.meta.url));
const MP3_KBPS = 128;
const RAMP_SECONDS = 15;
/** Limits that are not part of the measurement. */
const UNLIMITED = {
  MYNAH_CONCURRENCY_MAX: '100000',
  MYNAH_STARTING_MAX: '10000',
  MYNAH_QUEUE_MAX: '10000',
  MYNAH_SPEECH_LOAD_MAX: '100',
};

const VARIANTS = [
  {
    name: 'pcm 24 kHz',
    body: { format: 'pcm', sample_rate: ENGINE_RATE_HZ },
    bytesPerSecond: 2 * ENGINE_RATE_HZ,
    targetStreams: 500,
  },
  {
    name: `mp3 ${MP3_KBPS} kbit/s`,
    body: { format: 'mp3', mp3_bitrate: MP3_KBPS },
    bytesPerSecond: (MP3_KBPS * 1000) / 8,
    targetStreams: 100,
  },
] as const;

/** CPU time of the HTTP process per stream, with workers that return recorded speech in real time. */
export async function measureHttp({ server, children, effort }: BenchContext): Promise<PartReport> {
  const folder = await mkdtemp(join(tmpdir(), 'mynah-bench-speech-'));
  try {
    await writeFile(join(folder, RECORDED_SPEECH), await pcmOf(server, TEXTS[1500], { isNormalized: false }));
    const rows: Row[] = [];
    const data: Record<string, ListenersReport> = {};
    for (const { name, body, bytesPerSecond, targetStreams } of VARIANTS) {
      const env = { ...process.env, ...UNLIMITED, [RECORDED_SPEECH_FOLDER]: folder };
      const zeroCost = await ServerProcess.start(env, children, ENTRY);
      try {
        const call: ListenersCall = {
          address: { url: zeroCost.url, apiKey: zeroCost.apiKey },
          serverPid: zeroCost.pid,
          ...{ body, bytesPerSecond, listeners: targetStreams, rampSeconds: RAMP_SECONDS },
          seconds: effort.httpSeconds,
        };
        const report = await runListeners(call, children);
        data[name] = report;
        rows.push(...rowsOf(name, report, targetStreams));
      } finally {
        await zeroCost.stop();
      }
    }
    return { rows, data };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function rowsOf(name: string, report: ListenersReport, streams: number): Row[] {
  const { cpuSeconds, wallSeconds, audioSeconds, underruns, failures, firstAudioMs, memoryBytes } = report;
  const perStream = cpuSeconds / audioSeconds;
  const cores = perStream * streams;
  const what = `HTTP process, ${streams} streams of ${name}`;
  return [
    {
      what: `${what}: CPU per audio second`,
      value: `${(perStream * 1000).toFixed(2)} CPU ms/s`,
    },
    { what: `${what}: cores`, value: cores.toFixed(2), target: atMost(cores, 1) },
    {
      what: `${what}: streams in real time, of one core ${((100 * cpuSeconds) / wallSeconds).toFixed(0)} %`,
      value: (audioSeconds / wallSeconds).toFixed(0),
    },
    {
      what: `${what}: underruns, failures`,
      value: `${underruns}, ${failures.length}`,
      target: { text: 'none', isMet: underruns + failures.length === 0 },
    },
    {
      what: `${what}: first audio p50, p95`,
      value: `${ms(median(firstAudioMs))}, ${ms(quantile(firstAudioMs, 0.95))}`,
    },
    { what: `${what}: memory`, value: megabytes(memoryBytes) },
  ];
}
