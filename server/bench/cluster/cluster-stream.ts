import { request } from 'node:http';
import { text as readAll } from 'node:stream/consumers';
import { ENGINE_RATE_HZ, MODEL } from '../clients/http-client.ts';
import { type Arrival, simulatePlayback } from '../clients/playback.ts';

const BYTES_PER_SAMPLE = 2;
const BYTES_PER_SECOND = ENGINE_RATE_HZ * BYTES_PER_SAMPLE;
const SILENCE_TIMEOUT_MS = 120_000;

/** A request for speech at one gateway. */
export interface StreamRequest {
  readonly url: string;
  readonly key: string;
  readonly text: string;
  readonly voice: string;
  readonly idempotencyKey?: string;
}

/** How a stream ended. `cut`: the connection broke. */
export type StreamEnd =
  | { readonly kind: 'finished' }
  | { readonly kind: 'cut' }
  | { readonly kind: 'refused'; readonly status: number; readonly code: string };

/** A stream as its client received it. */
export interface ReceivedStream {
  readonly end: StreamEnd;
  readonly audio: Buffer;
  readonly arrivals: readonly Arrival[];
}

/** Requests a text as PCM on a connection of its own, and reads everything. Never rejects. */
export function receiveStream(
  { url, key, text, voice, idempotencyKey }: StreamRequest,
  onFirstAudio: () => void = () => {},
): Promise<ReceivedStream> {
  const chunks: Buffer[] = [];
  const arrivals: Arrival[] = [];
  const body = JSON.stringify({
    text,
    reference_id: voice,
    format: 'pcm',
    sample_rate: ENGINE_RATE_HZ,
    seed: 7,
  });
  return new Promise((resolve) => {
    const finish = (end: StreamEnd) => resolve({ end, audio: Buffer.concat(chunks), arrivals });
    const outgoing = request(`${url}/v1/tts`, {
      method: 'POST',
      agent: false,
      timeout: SILENCE_TIMEOUT_MS,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        model: MODEL,
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
    });
    outgoing.once('timeout', () => outgoing.destroy());
    outgoing.on('error', () => finish({ kind: 'cut' }));
    outgoing.once('response', (response) => {
      const status = response.statusCode ?? 0;
      if (status !== 200) {
        const code = `${response.headers['x-fish-error-code'] ?? ''}`;
        readAll(response).then(
          () => finish({ kind: 'refused', status, code }),
          () => finish({ kind: 'cut' }),
        );
        return;
      }
      response.on('data', (chunk: Buffer) => {
        if (chunks.length === 0) onFirstAudio();
        chunks.push(chunk);
        arrivals.push({ atMs: performance.now(), audioSeconds: chunk.length / BYTES_PER_SECOND });
      });
      response.on('close', () => finish({ kind: response.complete ? 'finished' : 'cut' }));
    });
    outgoing.end(body);
  });
}

/** What a listener would have heard who starts to play when `bufferSeconds` of audio have arrived. */
export function playedWithBuffer(arrivals: readonly Arrival[], bufferSeconds: number) {
  let received = 0;
  let startAtMs = arrivals.at(-1)?.atMs ?? 0;
  for (const { atMs, audioSeconds } of arrivals) {
    received += audioSeconds;
    if (received < bufferSeconds) continue;
    startAtMs = atMs;
    break;
  }
  return simulatePlayback(arrivals, startAtMs);
}

/** The longest time between two arrivals. */
export function longestPauseMs(arrivals: readonly Arrival[]): number {
  let longest = 0;
  for (const [index, { atMs }] of arrivals.entries())
    longest = Math.max(longest, atMs - (arrivals[index - 1]?.atMs ?? atMs));
  return longest;
}
