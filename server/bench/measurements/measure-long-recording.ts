import { encodeWavFile } from '../../src/audio/encode/wav.ts';
import { joinSamples } from '../../src/audio/pcm.ts';
import { ASR_SAMPLE_RATE_HZ } from '../../src/domain/engines/asr-engine.ts';
import { type BenchContext, serverCpuSeconds } from '../bench-context.ts';
import { transcribe } from '../clients/transcribe.ts';
import { residentBytesOf } from '../processes/processes.ts';
import { openRecordings, type Recording } from '../recordings.ts';
import { atMost, megabytes, type PartReport, type Row, times } from '../report.ts';
import { max, sum } from '../statistics.ts';

const MODEL = 'transcribe-1';
const MINUTE_SAMPLES = 60 * ASR_SAMPLE_RATE_HZ;
/** Limit of the recordings of one minute; an hour determines the cost per minute. */
const SINGLE_MINUTES_MAX = 60;
const LENGTH_RATIO_MAX = 1.1;
const MEMORY_MAX_BYTES = 700 * 2 ** 20;
const SAMPLE_INTERVAL_MS = 1000;

/** Cost of a long recording relative to recordings of one minute, and its memory use. */
export async function measureLongRecording(context: BenchContext): Promise<PartReport> {
  const { server, minutes } = context;
  const idleBytes = memoryOf(context);
  const speech = await openRecordings(context);
  const minuteFiles = Array.from({ length: minutes }, (_, index) => minuteOf(speech, index));
  // The first request loads and warms up.
  await transcribe(server, toFile(minuteFiles[0]!), MODEL);
  const singleFiles = minuteFiles.slice(0, SINGLE_MINUTES_MAX);
  const single = await serverCpuSeconds(server, async () => {
    for (const samples of singleFiles) await transcribe(server, toFile(samples), MODEL);
  });
  const readings: number[] = [];
  const sampling = setInterval(() => readings.push(memoryOf(context)), SAMPLE_INTERVAL_MS);
  const whole = await serverCpuSeconds(server, () =>
    transcribe(server, toFile(joinSamples(minuteFiles)), MODEL),
  ).finally(() => clearInterval(sampling));
  const overIdleBytes = max(readings) - idleBytes;
  const ratio = whole / minutes / (single / singleFiles.length);
  const rows: Row[] = [
    {
      what: `${minutes} minutes in one file to ${singleFiles.length} files of one minute, per minute`,
      value: `${whole.toFixed(1)} CPU s, ${single.toFixed(1)} CPU s: ${times(ratio)}`,
      target: atMost(ratio, LENGTH_RATIO_MAX, ' ×'),
    },
    {
      what: `memory of all processes above idle, maximum and per quarter of the file`,
      value: `${megabytes(overIdleBytes)}; ${quarters(readings)
        .map((bytes) => megabytes(bytes - idleBytes))
        .join(', ')}`,
      target: { text: `below ${megabytes(MEMORY_MAX_BYTES)}`, isMet: overIdleBytes < MEMORY_MAX_BYTES },
    },
  ];
  return { rows, data: { minutes, singleMinutes: singleFiles.length, single, whole, idleBytes, readings } };
}

function memoryOf({ server }: BenchContext): number {
  return sum(server.pids.map(residentBytesOf));
}

/** A minute of speech with a different first recording for each index. */
function minuteOf(speech: readonly Recording[], index: number): Float32Array {
  const parts: Float32Array[] = [];
  for (let at = index, length = 0; length < MINUTE_SAMPLES; at++) {
    const { samples } = speech[at % speech.length]!;
    parts.push(samples);
    length += samples.length;
  }
  return joinSamples(parts).subarray(0, MINUTE_SAMPLES);
}

function toFile(samples: Float32Array): Uint8Array {
  return encodeWavFile({ samples, sampleRateHz: ASR_SAMPLE_RATE_HZ });
}

/** The maximum of each quarter of the readings. */
function quarters(readings: readonly number[]): number[] {
  const size = Math.ceil(readings.length / 4);
  return [0, 1, 2, 3].map((quarter) => max(readings.slice(quarter * size, (quarter + 1) * size)));
}
