import { setTimeout as sleep } from 'node:timers/promises';
import { Packr, Unpackr } from 'msgpackr';
import { WebSocket } from 'ws';
import { toPcm16Bytes } from '../../src/audio/encode/pcm16.ts';
import { ASR_SAMPLE_RATE_HZ } from '../../src/domain/engines/asr-engine.ts';
import type { Address } from './http-client.ts';

/** Audio per message. */
const MESSAGE_SECONDS = 0.1;

/** Times from the end of the audio that a text covers to the arrival of the text, in milliseconds. */
export interface TranscriptionLags {
  readonly partials: readonly number[];
  readonly segments: readonly number[];
  readonly text: string;
}

type Frame =
  | { readonly event: 'partial' | 'segment'; readonly end: number }
  | { readonly event: 'finish'; readonly reason: string; readonly text?: string }
  | { readonly event: 'error'; readonly code: string };

/** Sends samples at the rate of a microphone and measures the lag of the text. */
export async function transcribeInRealTime(
  { url, apiKey }: Address,
  samples: Float32Array,
): Promise<TranscriptionLags> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/v1/asr/live`, {
    headers: { authorization: `Bearer ${apiKey}`, model: 'transcribe-1' },
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const packr = new Packr({ useRecords: false });
  const unpackr = new Unpackr({ useRecords: false });
  const lags = { partials: [] as number[], segments: [] as number[], text: '' };
  const request = { encoding: 'pcm', sample_rate: ASR_SAMPLE_RATE_HZ, language: 'en' };
  socket.send(packr.pack({ event: 'start', request }));
  const startedAtMs = performance.now();
  const finished = new Promise<void>((resolve, reject) => {
    socket.on('close', () => reject(new Error('The live session ended without a result.')));
    socket.on('message', (data: Buffer) => {
      const frame = unpackr.unpack(data) as Frame;
      if (frame.event === 'error') reject(new Error(`The live session failed: ${frame.code}`));
      else if (frame.event === 'finish') {
        lags.text = frame.text ?? '';
        resolve();
      } else {
        const list = frame.event === 'partial' ? lags.partials : lags.segments;
        list.push(performance.now() - startedAtMs - frame.end * 1000);
      }
    });
  });
  // A rejection before the end of the audio is reported below.
  finished.catch(() => {});
  const step = MESSAGE_SECONDS * ASR_SAMPLE_RATE_HZ;
  for (let at = 0; at < samples.length && socket.readyState === socket.OPEN; at += step) {
    const end = Math.min(at + step, samples.length);
    await sleep(startedAtMs + (end / ASR_SAMPLE_RATE_HZ) * 1000 - performance.now());
    socket.send(packr.pack({ event: 'audio', audio: toPcm16Bytes(samples.subarray(at, end)) }));
  }
  socket.send(packr.pack({ event: 'stop' }));
  await finished;
  socket.close();
  return lags;
}
