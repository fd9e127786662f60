import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, MODEL, VOICE } from './http-client.ts';

/** Bytes that a slow reader takes per second: about 1 % of real time. */
const BYTES_PER_SECOND = 1024;
/** A high rate, so that the buffers of the system hold little audio. */
const SAMPLE_RATE_HZ = 44_100;
const RETRY_MS = 500;

/** Clients that hold a stream open and read it far below real time. A client that is refused tries again. */
export class SlowReaders {
  readonly #address: Address;
  readonly #text: string;
  readonly #open = new Set<IncomingMessage>();
  readonly #clients: Promise<void>[] = [];
  #isStopped = false;

  constructor(address: Address, options: { readonly count: number; readonly text: string }) {
    this.#address = address;
    this.#text = options.text;
    for (let index = 0; index < options.count; index++) this.#clients.push(this.#run());
  }

  /** Number of streams that have started and are still open. */
  get openCount(): number {
    return this.#open.size;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const response of this.#open) response.destroy();
    await Promise.all(this.#clients);
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const response = await this.#begin().catch(() => undefined);
      if (response?.statusCode === 200 && !this.#isStopped) await this.#readSlowly(response);
      response?.destroy();
      if (!this.#isStopped) await sleep(RETRY_MS);
    }
  }

  async #readSlowly(response: IncomingMessage): Promise<void> {
    this.#open.add(response);
    const closed = new Promise<void>((resolve) => response.once('close', resolve));
    const timer = setInterval(() => response.read(BYTES_PER_SECOND), 1000);
    await closed;
    clearInterval(timer);
    this.#open.delete(response);
  }

  #begin(): Promise<IncomingMessage> {
    const { url, apiKey } = this.#address;
    return new Promise((resolve, reject) => {
      const outgoing = request(`${url}/v1/tts`, {
        method: 'POST',
        agent: false,
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', model: MODEL },
      });
      outgoing.on('error', reject);
      outgoing.once('response', (response) => {
        response.on('error', () => {});
        response.pause();
        resolve(response);
      });
      const body = { text: this.#text, format: 'pcm', sample_rate: SAMPLE_RATE_HZ, reference_id: VOICE };
      outgoing.end(JSON.stringify(body));
    });
  }
}
