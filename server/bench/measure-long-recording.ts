import { encodeWavFile } from '../src/audio/encode/wav.ts';
import { joinSamples } from '../src/audio/pcm.ts';
import { ASR_SAMPLE_RATE_HZ } from '../src/domain/engines/asr-engine.ts';
import { type BenchContext, serverCpuSeconds } from './bench-context.ts';
import { residentBytesOf } from './processes.ts';
import { openRecordings, type Recording } from './recordings.ts';
import { atMost, megabytes, type PartReport, type Row, times } from './report.ts';
import { max, sum } from './statistics.ts';
import { transcribe } from './transcribe.ts';

const MODEL = 'transcribe-1';
const MINUTE_SAMPLES = 60 * ASR_SAMPLE_RATE_HZ;
/** More minutes than these are not heard one by one: an hour says what a minute costs. */
const APART_MINUTES_MAX = 60;
const LENGTH_RATIO_MAX = 1.1;
const MEMORY_MAX_BYTES = 700 * 2 ** 20;
const LOOK_EVERY_MS = 1000;

/** Whether a long recording costs more than the same speech minute by minute, and how much memory it takes. */
export async function measureLongRecording(context: BenchContext): Promise<PartReport> {
  const { server, minutes } = context;
  const idleBytes = memoryOf(context);
  const speech = await openRecordings(context);
  const minuteFiles = Array.from({ length: minutes }, (_, index) => minuteOf(speech, index));
  // The first one pays for loading and warming up.
  await transcribe(server, toFile(minuteFiles[0]!), MODEL);
  const apartFiles = minuteFiles.slice(0, APART_MINUTES_MAX);
  const apart = await serverCpuSeconds(server, async () => {
    for (const samples of apartFiles) await transcribe(server, toFile(samples), MODEL);
  });
  const readings: number[] = [];
  const looking = setInterval(() => readings.push(memoryOf(context)), LOOK_EVERY_MS);
  const whole = await serverCpuSeconds(server, () =>
    transcribe(server, toFile(joinSamples(minuteFiles)), MODEL),
  ).finally(() => clearInterval(looking));
  const overIdleBytes = max(readings) - idleBytes;
  const ratio = whole / minutes / (apart / apartFiles.length);
  const rows: Row[] = [
    {
      what: `${minutes} minutes in one file, to ${apartFiles.length} files of a minute, for each minute`,
      value: `${whole.toFixed(1)} CPU s, ${apart.toFixed(1)} CPU s: ${times(ratio)}`,
      target: atMost(ratio, LENGTH_RATIO_MAX, ' ×'),
    },
    {
      what: `memory of all processes over idle, most and in each quarter of the file`,
      value: `${megabytes(overIdleBytes)}; ${quarters(readings)
        .map((bytes) => megabytes(bytes - idleBytes))
        .join(', ')}`,
      target: { text: `below ${megabytes(MEMORY_MAX_BYTES)}`, isMet: overIdleBytes < MEMORY_MAX_BYTES },
    },
  ];
  return { rows, data: { minutes, apartMinutes: apartFiles.length, apart, whole, idleBytes, readings } };
}

function memoryOf({ server }: BenchContext): number {
  return sum(server.pids.map(residentBytesOf));
}

/** A minute of speech that begins with another recording each time, so that no two are the same. */
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

/** The most in each quarter of the readings. */
function quarters(readings: readonly number[]): number[] {
  const size = Math.ceil(readings.length / 4);
  return [0, 1, 2, 3].map((quarter) => max(readings.slice(quarter * size, (quarter + 1) * size)));
}
