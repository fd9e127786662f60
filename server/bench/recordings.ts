import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { decodeAudio } from '../src/audio/decode/decode-audio.ts';
import { toMono } from '../src/audio/decode/mix-and-resample.ts';
import { joinSamples } from '../src/audio/pcm.ts';
import { ASR_SAMPLE_RATE_HZ } from '../src/domain/engines/asr-engine.ts';
import type { BenchContext } from './bench-context.ts';
import type { ServerProcess } from './processes/server-process.ts';

const SPOKEN_TEXTS = [
  'The little boat came home at last, and nobody on the shore had seen it leave.',
  'She opened the window because the room was warm, and a bird flew in from the garden.',
  'When the rain stopped, the children ran out to play in the street.',
  'My brother bought seven green apples at the market near the old bridge.',
];

/** A recording of speech with its transcript. */
export interface Recording {
  readonly text: string;
  /** The audio file. */
  readonly file: Uint8Array;
  /** The decoded samples, mono at `ASR_SAMPLE_RATE_HZ`. */
  readonly samples: Float32Array;
}

/** The recordings of the given folder, or synthesized speech without one. */
export function openRecordings({ server, recordings }: BenchContext): Promise<readonly Recording[]> {
  return recordings === undefined
    ? Promise.all(SPOKEN_TEXTS.map((text) => synthesize(server, text)))
    : readFolder(recordings);
}

async function synthesize(server: ServerProcess, text: string): Promise<Recording> {
  const response = await fetch(`${server.url}/v1/tts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json', model: 's1' },
    body: JSON.stringify({ text, format: 'wav', sample_rate: ASR_SAMPLE_RATE_HZ }),
  });
  if (!response.ok) throw new Error(`The speech request failed: ${response.status}`);
  const file = new Uint8Array(await response.arrayBuffer());
  return { text, file, samples: await decode([file]) };
}

async function readFolder(folder: string): Promise<Recording[]> {
  const lines = (await readFile(join(folder, 'transcripts.tsv'), 'utf8')).split('\n');
  const texts = new Map(lines.map((line) => line.split('\t')).map((row) => [row[0]!, row.at(-1)!.trim()]));
  const recordings: Recording[] = [];
  for (const name of (await readdir(folder)).sort()) {
    const text = texts.get(parse(name).name);
    if (text === undefined) continue;
    const path = join(folder, name);
    recordings.push({ text, file: await readFile(path), samples: await decode(createReadStream(path)) });
  }
  if (recordings.length === 0) throw new Error(`No file in ${folder} has a line in transcripts.tsv.`);
  return recordings;
}

async function decode(bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Float32Array> {
  async function* stream() {
    yield* bytes;
  }
  const parts: Float32Array[] = [];
  for await (const part of toMono(decodeAudio(stream()), ASR_SAMPLE_RATE_HZ)) parts.push(part);
  return joinSamples(parts);
}
