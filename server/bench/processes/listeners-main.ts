import { setMaxListeners } from 'node:events';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { MODEL, VOICE } from '../clients/http-client.ts';
import { longTextFor } from '../texts.ts';
import type { ListenersCall, ListenersReport } from './listeners.ts';
import { cpuSecondsOf, residentBytesOf } from './processes.ts';
import { serveCalls } from './rpc-process.ts';

/** Entry point of a process of listeners. */

/** Underruns shorter than this are delays of this process, which plays nothing. */
const TOLERANCE_SECONDS = 0.05;

interface Totals {
  isMeasuring: boolean;
  isStopped: boolean;
  bytes: number;
  requests: number;
  finished: number;
  underruns: number;
  stalledSeconds: number;
  firstAudioMs: number[];
  failures: string[];
}

serveCalls<ListenersCall, ListenersReport>(async (call) => {
  const totals: Totals = {
    isMeasuring: false,
    isStopped: false,
    bytes: 0,
    requests: 0,
    finished: 0,
    underruns: 0,
    stalledSeconds: 0,
    firstAudioMs: [],
    failures: [],
  };
  const abort = new AbortController();
  setMaxListeners(0, abort.signal);
  for (let index = 0; index < call.listeners; index++) {
    void repeat(call, index, totals, abort);
    await sleep((call.rampSeconds * 1000) / call.listeners);
  }
  const [cpuBefore, startedAtMs] = [cpuSecondsOf(call.serverPid), performance.now()];
  totals.isMeasuring = true;
  await sleep(call.seconds * 1000);
  totals.isMeasuring = false;
  const cpuSeconds = cpuSecondsOf(call.serverPid) - cpuBefore;
  const wallSeconds = (performance.now() - startedAtMs) / 1000;
  const memoryBytes = residentBytesOf(call.serverPid);
  totals.isStopped = true;
  abort.abort();
  const { requests, finished, underruns, stalledSeconds, firstAudioMs, failures } = totals;
  const audioSeconds = totals.bytes / call.bytesPerSecond;
  return {
    ...{ cpuSeconds, wallSeconds, audioSeconds, requests, finished, underruns, stalledSeconds },
    ...{ firstAudioMs, memoryBytes, failures },
  };
});

async function repeat(
  call: ListenersCall,
  index: number,
  totals: Totals,
  abort: AbortController,
): Promise<void> {
  for (let round = index; !totals.isStopped; round++) {
    try {
      await listen(call, longTextFor(round), totals, abort);
    } catch (error) {
      if (totals.isStopped) return;
      totals.failures.push((error as Error).message);
      await sleep(1000);
    }
  }
}

/** Receives one text and compares its arrival with playback in real time. */
function listen(call: ListenersCall, text: string, totals: Totals, abort: AbortController): Promise<void> {
  return new Promise((resolve, reject) => {
    const startedAtMs = performance.now();
    const outgoing = request(`${call.address.url}/v1/tts`, {
      method: 'POST',
      agent: false,
      headers: {
        authorization: `Bearer ${call.address.apiKey}`,
        'content-type': 'application/json',
        model: MODEL,
      },
    });
    const stop = () => outgoing.destroy();
    abort.signal.addEventListener('abort', stop);
    outgoing.once('close', () => abort.signal.removeEventListener('abort', stop));
    outgoing.on('error', reject);
    outgoing.once('response', (response) => {
      response.on('error', reject);
      if (response.statusCode !== 200) {
        response.resume();
        reject(new Error(`${response.statusCode} ${response.headers['x-fish-error-code'] ?? ''}`));
        return;
      }
      let playbackFromMs = Number.NaN;
      let receivedSeconds = 0;
      let isCounted = false;
      response.on('data', (chunk: Buffer) => {
        const nowMs = performance.now();
        if (Number.isNaN(playbackFromMs)) {
          playbackFromMs = nowMs;
          if (totals.isMeasuring) totals.firstAudioMs.push(nowMs - startedAtMs);
        }
        const behindSeconds = (nowMs - playbackFromMs) / 1000 - receivedSeconds;
        receivedSeconds += chunk.length / call.bytesPerSecond;
        if (behindSeconds > TOLERANCE_SECONDS) {
          playbackFromMs += behindSeconds * 1000;
          if (totals.isMeasuring) {
            totals.underruns++;
            totals.stalledSeconds += behindSeconds;
          }
        }
        if (!totals.isMeasuring) return;
        totals.bytes += chunk.length;
        if (!isCounted) totals.requests++;
        isCounted = true;
      });
      response.once('end', () => {
        if (totals.isMeasuring) totals.finished++;
        resolve();
      });
      response.once('close', () => {
        if (!response.complete) reject(new Error('The connection was cut.'));
      });
    });
    outgoing.end(JSON.stringify({ text, reference_id: VOICE, ...call.body }));
  });
}
