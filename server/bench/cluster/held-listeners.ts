import { request } from 'node:http';
import type { ProcessCluster } from '../../test/support/cluster/process-cluster.ts';
import { ENGINE_RATE_HZ, MODEL, VOICE } from '../clients/http-client.ts';
import { longTextFor } from '../texts.ts';

const BYTES_PER_SECOND = 2 * ENGINE_RATE_HZ;

/** Listeners that each request one long text, and what they have received. */
export class HeldListeners {
  readonly #cluster: ProcessCluster;
  readonly #abort = new AbortController();
  readonly #receivedBytes: number[] = [];
  failed = 0;

  constructor(cluster: ProcessCluster) {
    this.#cluster = cluster;
  }

  /** Listeners that have received audio. */
  get admitted(): number {
    return this.#receivedBytes.filter((bytes) => bytes > 0).length;
  }

  /** Seconds of audio that each listener has received. */
  audioSeconds(): readonly number[] {
    return this.#receivedBytes.map((bytes) => bytes / BYTES_PER_SECOND);
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
    const fail = () => {
      if (!this.#abort.signal.aborted) this.failed += 1;
    };
    outgoing.on('error', fail);
    outgoing.once('response', (response) => {
      response.on('error', fail);
      response.on('data', (chunk: Buffer) => {
        if (response.statusCode === 200) this.#receivedBytes[index]! += chunk.length;
      });
      response.once('end', () => {
        if (response.statusCode !== 200) this.failed += 1;
      });
    });
    const format = { format: 'pcm', sample_rate: ENGINE_RATE_HZ };
    outgoing.end(JSON.stringify({ text: longTextFor(index), reference_id: VOICE, ...format }));
  }

  close(): void {
    this.#abort.abort();
  }
}
