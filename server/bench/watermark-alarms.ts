import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { decodeAudio } from '../src/audio/decode/decode-audio.ts';
import { toMono } from '../src/audio/decode/mix-and-resample.ts';
import { joinSamples } from '../src/audio/pcm.ts';
import { ChipMeter, DETECTION_RATE_HZ, PERIOD_FRAMES } from '../src/audio/watermark/chip-meter.ts';
import {
  FALSE_ALARM_PROBABILITY,
  findPeriod,
  scoreThreshold,
} from '../src/audio/watermark/watermark-detector.ts';
import { WatermarkPattern } from '../src/audio/watermark/watermark-pattern.ts';
import { formatTable } from '../src/cli/table.ts';

const AUDIO = new Set(['.wav', '.flac', '.mp3', '.opus', '.ogg']);
/** Shorter windows at the end of recordings are skipped. */
const WINDOW_MIN_SECONDS = 3;
/** Counted scores, in addition to the detection threshold. */
const SCORES = [4, 4.5, 5, 5.5];

const HELP = `Usage: npm run watermark-alarms -- FOLDER… [option…]

Measures the false alarm rate of watermark detection on recordings without a watermark: divides every recording into
windows, searches each with many keys, and prints how often a score is reached next to its theoretical limit.

  --keys N       Keys per window; default 500.
  --window S     Window length in seconds; default 10, maximum 20.
  --step S       Seconds between window starts; default 5.
  --help
`;

/** Number of windows without a watermark that reached each score. */
export interface AlarmCount {
  readonly windows: number;
  readonly searches: number;
  readonly audioSeconds: number;
  /** Number of searches that reached each score. */
  readonly reached: ReadonlyMap<number, number>;
  readonly highest: number;
}

/** Searches windows of audio at `DETECTION_RATE_HZ`, at most two detector blocks long, with every key. */
export async function countAlarms(
  windows: AsyncIterable<Float32Array>,
  keys: readonly string[],
  scores: readonly number[],
): Promise<AlarmCount> {
  const patterns = keys.map((key) => new WatermarkPattern(key));
  const reached = new Map(scores.map((score) => [score, 0]));
  let [count, searches, audioSeconds, highest] = [0, 0, 0, 0];
  for await (const samples of windows) {
    count++;
    audioSeconds += samples.length / DETECTION_RATE_HZ;
    let chips: Float64Array = new Float64Array();
    // The last call covers the complete window.
    const meter = new ChipMeter((segment) => {
      chips = segment.chips;
    });
    meter.push(samples);
    meter.finish();
    for (const pattern of patterns) {
      const { score } = findPeriod(chips, pattern);
      searches++;
      highest = Math.max(highest, score);
      for (const least of scores) if (score >= least) reached.set(least, reached.get(least)! + 1);
    }
  }
  return { windows: count, searches, audioSeconds, reached, highest };
}

/** Runs the search and returns the exit status: 1 when a score was reached more often than its limit. */
export async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      keys: { type: 'string', default: '500' },
      window: { type: 'string', default: '10' },
      step: { type: 'string', default: '5' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help || positionals.length === 0) {
    process.stdout.write(HELP);
    return values.help ? 0 : 2;
  }
  const keys = Array.from({ length: Number(values.keys) }, (_, number) => `alarm ${number}`);
  const scores = [...SCORES, scoreThreshold(FALSE_ALARM_PROBABILITY, 1)];
  const windowSeconds = Math.min(Number(values.window), 20);
  const source = windowsOf(positionals, { windowSeconds, stepSeconds: Number(values.step) });
  const { windows, searches, audioSeconds, reached, highest } = await countAlarms(source, keys, scores);
  const hours = (audioSeconds * keys.length) / 3600;
  process.stdout.write(
    `${windows} windows, ${keys.length} keys: ${searches} searches, ${Math.round(hours)} hours of audio, ` +
      `highest score ${highest.toFixed(2)}.\n\n`,
  );
  const rows = scores.map((score) => {
    const bound = Math.min(PERIOD_FRAMES * Math.exp(-(score ** 2) / 2), 1);
    const share = reached.get(score)! / searches;
    return { score, bound, share, isWithin: share <= bound };
  });
  process.stdout.write(
    formatTable(
      ['score', 'limit', 'measured', 'searches'],
      rows.map(({ score, bound, share }) => [
        score.toFixed(2),
        bound.toPrecision(2),
        share.toPrecision(2),
        String(reached.get(score)),
      ]),
    ),
  );
  return rows.every(({ isWithin }) => isWithin) ? 0 : 1;
}

async function* windowsOf(
  folders: readonly string[],
  { windowSeconds, stepSeconds }: { readonly windowSeconds: number; readonly stepSeconds: number },
): AsyncGenerator<Float32Array> {
  const [size, step] = [windowSeconds, stepSeconds].map((s) => Math.round(s * DETECTION_RATE_HZ)) as [
    number,
    number,
  ];
  for (const folder of folders) {
    for (const name of (await readdir(folder, { recursive: true })).sort()) {
      if (!AUDIO.has(extname(name))) continue;
      const parts: Float32Array[] = [];
      const decoded = decodeAudio(createReadStream(join(folder, name)));
      for await (const part of toMono(decoded, DETECTION_RATE_HZ)) parts.push(part.slice());
      const samples = joinSamples(parts);
      for (let from = 0; from < samples.length; from += step) {
        const window = samples.subarray(from, from + size);
        if (window.length >= WINDOW_MIN_SECONDS * DETECTION_RATE_HZ) yield window;
      }
    }
  }
}
