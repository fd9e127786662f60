import { setTimeout as sleep } from 'node:timers/promises';
import { encodeWavFile } from '../../src/audio/encode/wav.ts';
import { joinSamples } from '../../src/audio/pcm.ts';
import { ASR_SAMPLE_RATE_HZ } from '../../src/domain/engines/asr-engine.ts';
import type { BenchContext } from '../bench-context.ts';
import { streamSpeech } from '../clients/http-client.ts';
import { type TranscriptionLags, transcribeInRealTime } from '../clients/live-transcription-client.ts';
import { transcribe } from '../clients/transcribe.ts';
import { openRecordings } from '../recordings.ts';
import { atMost, ms, type PartReport, type Row } from '../report.ts';
import { max, median, quantile } from '../statistics.ts';
import { longTextFor } from '../texts.ts';

const MODEL = 'transcribe-1';
const PAUSE_SECONDS = 1;
const FILES = 2;
const FILE_SECONDS = 300;
const LISTENERS = 4;
/** Load runs this long before the live session starts. */
const LOAD_LEAD_MS = 5000;
const PARTIAL_LAG_MAX_MS = 1000;
const FINAL_LAG_MAX_MS = 2500;

/** Lag of live transcription on an idle server, and beside two files and four speech streams. */
export async function measureLiveTranscription(context: BenchContext): Promise<PartReport> {
  const { server, effort } = context;
  const recordings = await openRecordings(context);
  const pause = new Float32Array(PAUSE_SECONDS * ASR_SAMPLE_RATE_HZ);
  const speech = joinSamples(recordings.flatMap(({ samples }) => [samples, pause]));
  const live = joinSamples(Array.from({ length: effort.liveRounds }, () => speech));
  const file = encodeWavFile({
    samples: repeatTo(
      joinSamples(recordings.map(({ samples }) => samples)),
      FILE_SECONDS * ASR_SAMPLE_RATE_HZ,
    ),
    sampleRateHz: ASR_SAMPLE_RATE_HZ,
  });
  // The first sessions load and warm up.
  await transcribeInRealTime(server, recordings[0]!.samples);
  await transcribe(server, recordings[0]!.file, MODEL);
  const idle = await transcribeInRealTime(server, live);
  const stop = new AbortController();
  const load = [
    ...Array.from({ length: FILES }, () => repeatUntil(stop.signal, () => transcribe(server, file, MODEL))),
    ...Array.from({ length: LISTENERS }, (_, listener) =>
      repeatUntil(stop.signal, () => listen(context, listener)),
    ),
  ];
  await sleep(LOAD_LEAD_MS);
  const loaded = await transcribeInRealTime(server, live).finally(() => stop.abort());
  await Promise.all(load);
  return {
    rows: [
      ...describe('alone', idle),
      ...describe(`beside ${FILES} files and ${LISTENERS} speech streams`, loaded),
      { what: 'live transcription: same text under load', value: idle.text === loaded.text ? 'yes' : 'no' },
    ],
    data: { idle, loaded },
  };
}

/** Requests speech and plays it to its end. */
async function listen({ server }: BenchContext, listener: number): Promise<void> {
  const { audibleAtMs, audioSeconds } = await streamSpeech(server, longTextFor(listener));
  await sleep(Math.max(0, audibleAtMs + audioSeconds * 1000 - performance.now()));
}

/** Repeats work until the signal aborts. The last repetition is completed. */
async function repeatUntil(signal: AbortSignal, work: () => Promise<unknown>): Promise<void> {
  while (!signal.aborted) await work();
}

function repeatTo(samples: Float32Array, length: number): Float32Array {
  const times = Math.ceil(length / samples.length);
  return joinSamples(Array.from({ length: times }, () => samples)).subarray(0, length);
}

function describe(where: string, { partials, segments }: TranscriptionLags): Row[] {
  const p95 = quantile(partials, 0.95);
  const last = max(segments);
  return [
    {
      what: `live transcription ${where}: lag of partials, median and p95 of ${partials.length}`,
      value: `${ms(median(partials))}, ${ms(p95)}`,
      target: atMost(p95, PARTIAL_LAG_MAX_MS, ' ms'),
    },
    {
      what: `live transcription ${where}: lag of final segments, median and maximum of ${segments.length}`,
      value: `${ms(median(segments))}, ${ms(last)}`,
      target: atMost(last, FINAL_LAG_MAX_MS, ' ms'),
    },
  ];
}
