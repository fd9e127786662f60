import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decodeAudio } from '../src/audio/decode/decode-audio.ts';
import { toMono } from '../src/audio/decode/mono.ts';
import { HEARING_RATE_HZ } from '../src/engines/asr-engine.ts';
import { ASR_ENGINES } from '../src/engines/asr-registry.ts';
import { AskedProcess } from './asked-process.ts';
import type { BenchContext } from './bench-context.ts';
import type { HearingAnswer, HearingQuestion } from './hearing-engine-main.ts';
import { cost, type PartReport, percent, type Row } from './report.ts';
import { sum } from './statistics.ts';
import { countWordErrors } from './word-errors.ts';

const ENTRY = fileURLToPath(new URL('./hearing-engine-main.js', import.meta.url));
const SPOKEN_TEXTS = [
  'The little boat came home at last, and nobody on the shore had seen it leave.',
  'She opened the window because the room was warm, and a bird flew in from the garden.',
  'When the rain stopped, the children ran out to play in the street.',
  'My brother bought seven green apples at the market near the old bridge.',
];

interface Recording {
  readonly text: string;
  readonly samples: Float32Array;
}

/** Word errors and cost of each engine that hears and is installed, alone in its process. */
export async function measureHearing(context: BenchContext): Promise<PartReport> {
  const recordings =
    context.recordings === undefined ? await speakAll(context) : await readFolder(context.recordings);
  const rows: Row[] = [];
  const data: Record<string, unknown> = {};
  for (const { name, models } of ASR_ENGINES) {
    const installed = await Promise.all(models.map((id) => context.store.find(id)));
    if (installed.includes(undefined)) {
      rows.push({ what: `hearing with ${name}`, value: 'is not installed' });
      continue;
    }
    const result = await hearAll(context, name, recordings);
    const value = `${percent(result.wordErrorRate)} word errors, ${cost(result.cpuPerSecond)}`;
    rows.push({ what: `hearing with ${name}`, value });
    data[name] = result;
  }
  return { rows, data };
}

async function hearAll(
  { children, engineSettings }: BenchContext,
  engine: string,
  recordings: readonly Recording[],
): Promise<{ readonly wordErrorRate: number; readonly cpuPerSecond: number }> {
  const listener = new AskedProcess<HearingQuestion, HearingAnswer>(ENTRY, children);
  try {
    await listener.ask({ type: 'load', engine, settings: { ...engineSettings, threads: 1 } });
    // The first one pays for warming up.
    await listener.ask({ type: 'hear', samples: recordings[0]!.samples });
    const scores = [];
    for (const { samples, text } of recordings) {
      const answer = await listener.ask({ type: 'hear', samples });
      const seconds = samples.length / HEARING_RATE_HZ;
      scores.push({ ...countWordErrors(text, answer.text), cpuSeconds: answer.cpuSeconds, seconds });
    }
    return {
      wordErrorRate: sum(scores.map(({ errors }) => errors)) / sum(scores.map(({ words }) => words)),
      cpuPerSecond:
        sum(scores.map(({ cpuSeconds }) => cpuSeconds)) / sum(scores.map(({ seconds }) => seconds)),
    };
  } finally {
    await listener.stop();
  }
}

function speakAll({ server }: BenchContext): Promise<Recording[]> {
  return Promise.all(
    SPOKEN_TEXTS.map(async (text) => {
      const response = await fetch(`${server.url}/v1/tts`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${server.apiKey}`,
          'content-type': 'application/json',
          model: 's1',
        },
        body: JSON.stringify({ text, format: 'wav', sample_rate: HEARING_RATE_HZ }),
      });
      if (!response.ok || response.body === null)
        throw new Error(`The server did not speak: ${response.status}`);
      return { text, samples: await decode(response.body) };
    }),
  );
}

async function readFolder(folder: string): Promise<Recording[]> {
  const lines = (await readFile(join(folder, 'transcripts.tsv'), 'utf8')).split('\n');
  const texts = new Map(lines.map((line) => line.split('\t')).map((row) => [row[0]!, row.at(-1)!.trim()]));
  const recordings: Recording[] = [];
  for (const file of (await readdir(folder)).sort()) {
    const text = texts.get(parse(file).name);
    if (text !== undefined)
      recordings.push({ text, samples: await decode(createReadStream(join(folder, file))) });
  }
  if (recordings.length === 0) throw new Error(`No file in ${folder} has a line in transcripts.tsv.`);
  return recordings;
}

async function decode(bytes: AsyncIterable<Uint8Array>): Promise<Float32Array> {
  const parts: Float32Array[] = [];
  for await (const part of toMono(decodeAudio(bytes), HEARING_RATE_HZ)) parts.push(part);
  const samples = new Float32Array(sum(parts.map((part) => part.length)));
  let offset = 0;
  for (const part of parts) {
    samples.set(part, offset);
    offset += part.length;
  }
  return samples;
}
