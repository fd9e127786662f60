import { setMaxListeners } from 'node:events';
import { request } from 'node:http';
import { text as readAll } from 'node:stream/consumers';
import type { ProcessCluster } from '../../test/support/cluster/process-cluster.ts';
import { ENGINE_RATE_HZ, MODEL, VOICE } from '../clients/http-client.ts';
import { longTextFor } from '../texts.ts';

const BYTES_PER_SECOND = 2 * ENGINE_RATE_HZ;

/** Listeners that each request one long text, and what they have received. */
export class HeldListeners {
  readonly #cluster: ProcessCluster;
  readonly #abort = new AbortController();
  readonly #receivedBytes: number[] = [];
  readonly #firstAudioAtMs = new Map<number, number>();
  readonly #failures: string[] = [];
  /** Listeners whose text has ended. */
  finished = 0;

  constructor(cluster: ProcessCluster) {
    this.#cluster = cluster;
    setMaxListeners(0, this.#abort.signal);
  }

  /** Listeners that have received audio. */
  get admitted(): number {
    return this.#receivedBytes.filter((bytes) => bytes > 0).length;
  }

  /** Refused and cut requests: the status and code, or the error. */
  get failures(): readonly string[] {
    return this.#failures;
  }

  /** Seconds of audio that each listener has received. */
  audioSeconds(): readonly number[] {
    return this.#receivedBytes.map((bytes) => bytes / BYTES_PER_SECOND);
  }

  /** Seconds of audio per second since the first audio, of each listener that has received some before `beforeMs`. */
  paces(beforeMs: number): readonly number[] {
    const nowMs = performance.now();
    return [...this.#firstAudioAtMs]
      .filter(([, atMs]) => atMs < beforeMs)
      .map(([index, atMs]) => this.#receivedBytes[index]! / BYTES_PER_SECOND / ((nowMs - atMs) / 1000));
  }

  /** Opens one more listener, at the gateways in turn. */
  open(): void {
    const index = this.#receivedBytes.push(0) - 1;
    const { gateways, key } = this.#cluster;
    const { url } = gateways[index % gateways.length]!;
    const outgoing = request(`${url}/v1/tts`, {
      method: 'POST',
      agent: false,
      signal: this.#abort.signal,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', model: MODEL },
    });
    let hasFailed = false;
    // A cut connection is an error of the request, of the response or of both.
    const fail = (problem: string) => {
      if (hasFailed || this.#abort.signal.aborted) return;
      hasFailed = true;
      this.#failures.push(problem);
    };
    outgoing.on('error', (error) => fail(error.message));
    outgoing.once('response', (response) => {
      response.on('error', (error) => fail(error.message));
      if (response.statusCode !== 200) {
        const refusal = `${response.statusCode} ${response.headers['x-fish-error-code'] ?? ''}`;
        void readAll(response).then(
          () => fail(refusal),
          () => fail(refusal),
        );
        return;
      }
      response.on('data', (chunk: Buffer) => {
        if (!this.#firstAudioAtMs.has(index)) this.#firstAudioAtMs.set(index, performance.now());
        this.#receivedBytes[index]! += chunk.length;
      });
      response.once('end', () => {
        this.finished += 1;
      });
    });
    const format = { format: 'pcm', sample_rate: ENGINE_RATE_HZ };
    outgoing.end(JSON.stringify({ text: longTextFor(index), reference_id: VOICE, ...format }));
  }

  close(): void {
    this.#abort.abort();
  }
}
