import { type IncomingMessage, request } from 'node:http';
import { text as readAll, buffer as readBytes } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AudioFormat } from '../src/audio/formats.ts';
import { PcmMeter } from './pcm-meter.ts';
import type { Arrival } from './playback.ts';

/** A client of the server as it is in the wild: a new connection for every request. */

/** The engine's own rate: nothing is resampled. */
export const ENGINE_RATE_HZ = 24_000;
export const MODEL = 's1';
export const VOICE = 'af_heart';
const SILENCE_TIMEOUT_MS = 120_000;

/** Where the server is, and what opens it. */
export interface Address {
  readonly url: string;
  readonly apiKey: string;
}

/** A voice other than the usual one: a kept voice, or recordings in base64 that come with the request. */
export type AskedVoice =
  | { readonly reference_id: string }
  | {
      readonly reference_id: null;
      readonly references: readonly { readonly audio: string; readonly text: string }[];
    };

/** A stream of PCM as it came in. Times are those of `performance.now()`. */
export interface Heard {
  readonly startedAtMs: number;
  readonly arrivals: readonly Arrival[];
  /** When the first chunk with an audible sample came. */
  readonly audibleAtMs: number;
  readonly endedAtMs: number;
  readonly audioSeconds: number;
}

/** Listens to a text from the first byte to the last. */
export async function listen(address: Address, text: string, sampleRateHz = ENGINE_RATE_HZ): Promise<Heard> {
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

/** How long it takes from opening a connection until something can be heard. Leaves then. */
export async function timeToFirstAudioMs(
  address: Address,
  text: string,
  voice?: AskedVoice,
): Promise<number> {
  const body = encode({ text, format: 'pcm', sample_rate: ENGINE_RATE_HZ, ...voice });
  const startedAtMs = performance.now();
  const response = await open(address, body);
  const meter = new PcmMeter();
  // Leaving the loop closes the connection.
  for await (const chunk of response) {
    meter.add(chunk);
    if (meter.isAudible) return performance.now() - startedAtMs;
  }
  throw new Error('The server sent no audible sound.');
}

/** Fetches a text as an audio file. */
export async function download(address: Address, text: string, format: AudioFormat): Promise<Buffer> {
  return readBytes(await open(address, encode({ text, format })));
}

/** Listens for a while after the first bytes, then cuts the connection. Fails when the stream was over by then. */
export async function listenAndLeave(address: Address, text: string, listenMs: number): Promise<void> {
  const response = await open(address, encode({ text, format: 'pcm', sample_rate: ENGINE_RATE_HZ }));
  response.resume();
  await sleep(listenMs);
  if (response.complete) throw new Error('The stream was over before it could be left.');
  response.destroy();
}

/** The bytes of a request. Made before the clock starts: a recording takes its sender longer than the server. */
function encode(
  body: {
    readonly text: string;
    readonly format: AudioFormat;
    readonly sample_rate?: number;
  } & Partial<AskedVoice>,
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
    outgoing.once('timeout', () => outgoing.destroy(new Error('The server fell silent.')));
    outgoing.on('error', reject);
    outgoing.once('response', (response) => {
      if (response.statusCode === 200) resolve(response);
      else refuse(response).catch(reject);
    });
    outgoing.end(body);
  });
}

/** The server answered, but not with sound. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly status: number;

  constructor(status: number, body: string) {
    super(`The server answered ${status}: ${body}`);
    this.status = status;
  }
}

async function refuse(response: IncomingMessage): Promise<never> {
  throw new RefusedError(response.statusCode!, await readAll(response));
}
