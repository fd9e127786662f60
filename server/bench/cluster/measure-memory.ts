import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { ProcessCluster } from '../../test/support/cluster/process-cluster.ts';
import { ENGINE_RATE_HZ, MODEL, VOICE } from '../clients/http-client.ts';
import { residentBytesOf } from '../processes/processes.ts';
import { longTextFor } from '../texts.ts';
import { SCRIPTED_ENGINE, startMeasuredCluster } from './scripted-engine.ts';
import { resultsFile, writeResults } from './write-results.ts';

const SAMPLE_MS = 10_000;
const BYTES_PER_SECOND = 2 * ENGINE_RATE_HZ;
const MIB = 1024 * 1024;
/** The first part of a run, in which caches and the heap fill, is not compared. */
const WARM_UP_PART = 1 / 3;
const GROWTH_MAX = 1.1;

export const MEMORY_HELP = `npm run measure-cluster -- memory [--minutes N] [--listeners N] [--slow N] [--json FILE]

Resident memory of gateways under load, with listeners in real time and slow readers (0.3 of real time).
`;

/** Returns 1 if the memory of a gateway has grown after the warm-up. */
export async function measureMemory(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '30' },
      listeners: { type: 'string', default: '10' },
      slow: { type: 'string', default: '10' },
      json: { type: 'string' },
    },
  });
  const cluster = await startMeasuredCluster({ gateways: 2, workers: 2, engine: SCRIPTED_ENGINE });
  if (cluster === undefined) return 2;
  const stop = new AbortController();
  const counts: Counts = { finished: 0, failures: [] };
  try {
    for (let index = 0; index < Number(values.listeners); index++)
      void listen(cluster, { index, pace: 1, counts, signal: stop.signal });
    for (let index = 0; index < Number(values.slow); index++)
      void listen(cluster, { index: 1000 + index, pace: 0.3, counts, signal: stop.signal });
    const samples: number[][] = [];
    for (const endMs = Date.now() + Number(values.minutes) * 60_000; Date.now() < endMs; ) {
      await sleep(SAMPLE_MS);
      samples.push(cluster.gateways.map(({ pid }) => residentBytesOf(pid()) / MIB));
      console.log(
        samples
          .at(-1)
          ?.map((value) => value.toFixed(0))
          .join(' MiB, '),
        'MiB',
        counts,
      );
      await writeResults(resultsFile('memory', values.json), { counts, samples });
    }
    const growth = cluster.gateways.map((_, index) => growthOf(samples.map((each) => each[index] ?? 0)));
    console.log('growth after the warm-up:', growth.map((value) => value.toFixed(3)).join(', '));
    return growth.every((value) => value <= GROWTH_MAX) && counts.failures.length === 0 ? 0 : 1;
  } finally {
    stop.abort();
    await cluster.close();
  }
}

/** The mean of the last third relative to that of the third before. */
export function growthOf(samples: readonly number[]): number {
  const from = Math.floor(samples.length * WARM_UP_PART);
  const middle = Math.floor((samples.length + from) / 2);
  return mean(samples.slice(middle)) / mean(samples.slice(from, middle));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Responses so far. A failure is described by its reader, its status or error, and what was received. */
interface Counts {
  finished: number;
  readonly failures: string[];
}

interface ListenOptions {
  readonly index: number;
  /** Reading speed relative to real time. */
  readonly pace: number;
  readonly counts: Counts;
  readonly signal: AbortSignal;
}

/** One text after the other. */
async function listen(
  { gateways, key }: ProcessCluster,
  { index, pace, counts, signal }: ListenOptions,
): Promise<void> {
  const { url } = gateways[index % gateways.length]!;
  for (let round = 0; !signal.aborted; round++) {
    const startMs = performance.now();
    const { failure, bytes } = await readAtPace({
      url,
      key,
      text: longTextFor(index + round),
      pace,
      signal,
    });
    if (signal.aborted) return;
    if (failure === undefined) {
      counts.finished += 1;
      continue;
    }
    const seconds = ((performance.now() - startMs) / 1000).toFixed(0);
    counts.failures.push(`pace ${pace}: ${failure} after ${bytes} bytes and ${seconds} s`);
  }
}

interface PacedRequest {
  readonly url: string;
  readonly key: string;
  readonly text: string;
  readonly pace: number;
  readonly signal: AbortSignal;
}

/** Reads a response at a pace: the socket is paused while the listener is ahead. */
function readAtPace({
  url,
  key,
  text,
  pace,
  signal,
}: PacedRequest): Promise<{ readonly failure: string | undefined; readonly bytes: number }> {
  return new Promise((resolve) => {
    let bytes = 0;
    let problem: string | undefined;
    const outgoing = request(`${url}/v1/tts`, {
      method: 'POST',
      agent: false,
      signal,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', model: MODEL },
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      problem ??= error.code ?? error.message;
      resolve({ failure: problem, bytes });
    });
    outgoing.once('response', (response) => {
      const startMs = performance.now();
      if (response.statusCode !== 200)
        problem = `${response.statusCode} ${response.headers['x-fish-error-code'] ?? ''}`;
      response.on('error', (error: NodeJS.ErrnoException) => {
        problem ??= error.code ?? error.message;
      });
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        const dueMs = startMs + ((bytes / BYTES_PER_SECOND) * 1000) / pace;
        if (dueMs <= performance.now()) return;
        response.pause();
        setTimeout(() => response.resume(), dueMs - performance.now());
      });
      response.once('close', () =>
        resolve({ failure: response.complete ? problem : (problem ?? 'cut'), bytes }),
      );
    });
    const format = { format: 'pcm', sample_rate: ENGINE_RATE_HZ };
    outgoing.end(JSON.stringify({ text, reference_id: VOICE, ...format }));
  });
}
