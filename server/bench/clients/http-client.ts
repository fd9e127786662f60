import { type IncomingMessage, request } from 'node:http';
import { text as readAll, buffer as readBytes } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fromPcm16Bytes } from '../../src/audio/encode/pcm16.ts';
import type { AudioFormat } from '../../src/audio/formats.ts';
import type { Pcm } from '../../src/audio/pcm.ts';
import { PcmMeter } from './pcm-meter.ts';
import type { Arrival } from './playback.ts';

/** A client that opens a new connection for every request. */

/** Sample rate of the engine, so no resampling takes place. */
export const ENGINE_RATE_HZ = 24_000;
export const MODEL = 's1';
export const VOICE = 'af_heart';
const SILENCE_TIMEOUT_MS = 120_000;

/** URL and API key of a server. */
export interface Address {
  readonly url: string;
  readonly apiKey: string;
}

/** A voice other than the default: a stored voice, or inline references in base64. */
export type RequestedVoice =
  | { readonly reference_id: string }
  | {
      readonly reference_id: null;
      readonly references: readonly { readonly audio: string; readonly text: string }[];
    };

/** A received PCM stream. Times are values of `performance.now()`. */
export interface StreamResult {
  readonly startedAtMs: number;
  readonly arrivals: readonly Arrival[];
  /** Arrival of the first chunk with an audible sample. */
  readonly audibleAtMs: number;
  readonly endedAtMs: number;
  readonly audioSeconds: number;
}

/** Requests a text as PCM and reads the complete stream. */
export async function streamSpeech(
  address: Address,
  text: string,
  sampleRateHz = ENGINE_RATE_HZ,
): Promise<StreamResult> {
  const body = encode({ text, format: 'pcm', sample_rate: sampleRateHz });
  const startedAtMs = performance.now();
  const response = await open(address, body);
  const meter = new PcmMeter();
  const arrivals: Arrival[] = [];
  let audibleAtMs = Number.NaN;
  for await (const chunk of response) {
    const atMs = performance.now();
    const samplesBefore = meter.samples;
    meter.add(chunk);
    arrivals.push({ atMs, audioSeconds: (meter.samples - samplesBefore) / sampleRateHz });
    if (meter.isAudible && Number.isNaN(audibleAtMs)) audibleAtMs = atMs;
  }
  const audioSeconds = meter.samples / sampleRateHz;
  return { startedAtMs, arrivals, audibleAtMs, endedAtMs: performance.now(), audioSeconds };
}

/** Requests a text as PCM; returns its samples and the time to the first audible one. */
export async function streamSpeechSamples(
  address: Address,
  text: string,
): Promise<{ readonly firstAudioMs: number; readonly audio: Pcm }> {
  const body = encode({ text, format: 'pcm', sample_rate: ENGINE_RATE_HZ });
  const startedAtMs = performance.now();
  const response = await open(address, body);
  const meter = new PcmMeter();
  const chunks: Buffer[] = [];
  let firstAudioMs = Number.NaN;
  for await (const chunk of response) {
    chunks.push(chunk);
    if (!Number.isNaN(firstAudioMs)) continue;
    meter.add(chunk);
    if (meter.isAudible) firstAudioMs = performance.now() - startedAtMs;
  }
  return {
    firstAudioMs,
    audio: { samples: fromPcm16Bytes(Buffer.concat(chunks)), sampleRateHz: ENGINE_RATE_HZ },
  };
}

/** Time from opening a connection to the first audible sample. Disconnects afterwards. */
export async function timeToFirstAudioMs(
  address: Address,
  text: string,
  voice?: RequestedVoice,
): Promise<number> {
  const body = encode({ text, format: 'pcm', sample_rate: ENGINE_RATE_HZ, ...voice });
  const startedAtMs = performance.now();
  const response = await open(address, body);
  const meter = new PcmMeter();
  // Returning from the loop closes the connection.
  for await (const chunk of response) {
    meter.add(chunk);
    if (meter.isAudible) return performance.now() - startedAtMs;
  }
  throw new Error('The server sent no audible audio.');
}

/** Fetches a text as 16-bit samples at the rate of the engine, at its level or with normalized loudness. */
export async function pcmOf(address: Address, text: string, { isNormalized = true } = {}): Promise<Buffer> {
  const prosody = { normalize_loudness: isNormalized };
  return readBytes(
    await open(address, encode({ text, format: 'pcm', sample_rate: ENGINE_RATE_HZ, prosody })),
  );
}

/** Fetches a text as an audio file. */
export async function download(address: Address, text: string, format: AudioFormat): Promise<Buffer> {
  return readBytes(await open(address, encode({ text, format })));
}

/** Disconnects some time after the response headers. Rejects when the stream has ended by then. */
export async function streamAndDisconnect(address: Address, text: string, afterMs: number): Promise<void> {
  const response = await open(address, encode({ text, format: 'pcm', sample_rate: ENGINE_RATE_HZ }));
  response.resume();
  await sleep(afterMs);
  if (response.complete) throw new Error('The stream ended before the disconnection.');
  response.destroy();
}

/** Encodes a request body. Called before the clock starts, since encoding a recording takes longer than the request. */
function encode(
  body: {
    readonly text: string;
    readonly format: AudioFormat;
    readonly sample_rate?: number;
    readonly prosody?: { readonly normalize_loudness: boolean };
  } & Partial<RequestedVoice>,
): Buffer {
  return Buffer.from(JSON.stringify({ reference_id: VOICE, ...body }));
}

function open(address: Address, body: Buffer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${address.url}/v1/tts`, {
      method: 'POST',
      agent: false,
      timeout: SILENCE_TIMEOUT_MS,
      headers: {
        authorization: `Bearer ${address.apiKey}`,
        'content-type': 'application/json',
        model: MODEL,
      },
    });
    outgoing.once('timeout', () => outgoing.destroy(new Error('The server timed out.')));
    outgoing.on('error', reject);
    outgoing.once('response', (response) => {
      if (response.statusCode === 200) resolve(response);
      else throwRefused(response).catch(reject);
    });
    outgoing.end(body);
  });
}

/** A response with an error status. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly status: number;

  constructor(status: number, body: string) {
    super(`The server responded with ${status}: ${body}`);
    this.status = status;
  }
}

async function throwRefused(response: IncomingMessage): Promise<never> {
  throw new RefusedError(response.statusCode!, await readAll(response));
}
