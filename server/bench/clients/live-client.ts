import { Packr, Unpackr } from 'msgpackr';
import { WebSocket } from 'ws';
import { type Address, ENGINE_RATE_HZ, MODEL, VOICE } from './http-client.ts';
import { PcmMeter } from './pcm-meter.ts';

const RESPONSE_TIMEOUT_MS = 60_000;

type Frame =
  | { readonly event: 'audio'; readonly audio: Uint8Array }
  | { readonly event: 'finish'; readonly reason: string };

/** A client that runs sequential sessions over one live socket. */
export class LiveClient {
  readonly #socket: WebSocket;
  readonly #packr = new Packr({ useRecords: false });
  readonly #unpackr = new Unpackr({ useRecords: false });

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  static open({ url, apiKey }: Address): Promise<LiveClient> {
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/v1/tts/live`, {
      headers: { authorization: `Bearer ${apiKey}`, model: MODEL },
    });
    return new Promise((resolve, reject) => {
      socket.once('open', () => resolve(new LiveClient(socket)));
      socket.once('error', reject);
    });
  }

  /** Time from sending a text to the first audible sample. Resolves at the end of the session. */
  timeToFirstAudioMs(text: string): Promise<number> {
    const request = { text: '', format: 'pcm', sample_rate: ENGINE_RATE_HZ, reference_id: VOICE };
    this.#send({ event: 'start', request });
    const startedAtMs = performance.now();
    this.#send({ event: 'text', text });
    this.#send({ event: 'stop' });
    return new Promise((resolve, reject) => {
      const meter = new PcmMeter();
      let waitedMs: number | undefined;
      const settle = (finish: () => void) => {
        clearTimeout(timer);
        this.#socket.off('message', onMessage);
        finish();
      };
      const onMessage = (data: Buffer) => {
        const frame = this.#unpackr.unpack(data) as Frame;
        if (frame.event === 'audio') {
          meter.add(frame.audio);
          if (meter.isAudible) waitedMs ??= performance.now() - startedAtMs;
        } else if (frame.event === 'finish') {
          settle(() =>
            waitedMs === undefined
              ? reject(new Error(`The live session ended without audio (${frame.reason}).`))
              : resolve(waitedMs),
          );
        }
      };
      const timer = setTimeout(
        () => settle(() => reject(new Error('The live session timed out.'))),
        RESPONSE_TIMEOUT_MS,
      );
      this.#socket.on('message', onMessage);
    });
  }

  close(): void {
    this.#socket.close();
  }

  #send(frame: object): void {
    this.#socket.send(this.#packr.pack(frame));
  }
}
