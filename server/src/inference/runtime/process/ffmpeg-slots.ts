import type { FfmpegSlots } from '../../../audio/decode/ffmpeg-decoder.ts';
import { FairSlots } from '../../../concurrency/fair-slots.ts';

/** A message of a worker that wants a slot, or gives one back or no longer waits for it. */
export type SlotRequest = { readonly type: 'slot-wanted' | 'slot-freed'; readonly id: number };

/** The FFmpeg slots of a server, in its main process. Kinds of workers are served in turn. */
export class ServerFfmpegSlots extends FairSlots {}

/** The slots that one worker process holds or waits for, on the side of the main process. */
export class WorkerFfmpegSlots {
  readonly #slots: ServerFfmpegSlots;
  readonly #owner: string;
  readonly #grant: (id: number) => void;
  readonly #open = new Map<number, AbortController>();

  /** `grant` sends the grant of a slot to the worker. */
  constructor(slots: ServerFfmpegSlots, options: { owner: string; grant: (id: number) => void }) {
    this.#slots = slots;
    this.#owner = options.owner;
    this.#grant = options.grant;
  }

  receive({ type, id }: SlotRequest): void {
    if (type === 'slot-freed') this.#free(id);
    else this.#want(id);
  }

  /** Frees the slots of a worker that has exited. */
  close(): void {
    for (const id of this.#open.keys()) this.#free(id);
  }

  #want(id: number): void {
    const controller = new AbortController();
    const { signal } = controller;
    this.#open.set(id, controller);
    this.#slots.acquire(this.#owner, signal).then(
      (release) => {
        if (signal.aborted) return release();
        signal.addEventListener('abort', release, { once: true });
        this.#grant(id);
      },
      () => {}, // The worker no longer waits.
    );
  }

  #free(id: number): void {
    this.#open.get(id)?.abort();
    this.#open.delete(id);
  }
}

/** The slots of the server, on the side of a worker process. */
export class ParentFfmpegSlots implements FfmpegSlots {
  readonly #send: (request: SlotRequest) => void;
  readonly #waiting = new Map<number, () => void>();
  #nextId = 1;

  constructor(send: (request: SlotRequest) => void) {
    this.#send = send;
  }

  async acquire(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    const id = this.#nextId++;
    const release = () => this.#send({ type: 'slot-freed', id });
    await new Promise<void>((resolve, reject) => {
      const abort = () => {
        this.#waiting.delete(id);
        release();
        reject(signal?.reason);
      };
      this.#waiting.set(id, () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      });
      signal?.addEventListener('abort', abort, { once: true });
      this.#send({ type: 'slot-wanted', id });
    });
    return release;
  }

  /** Called when the main process grants a slot. */
  granted(id: number): void {
    this.#waiting.get(id)?.();
    this.#waiting.delete(id);
  }
}
