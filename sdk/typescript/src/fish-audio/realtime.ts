import { toPackable } from '../audio/audio-input.ts';
import { type Packable, pack, unpack } from '../encoding/msgpack.ts';
import type { Socket } from '../net/socket.ts';
import { toFishAudioError } from './errors.ts';

/** Events of a `RealtimeConnection`. */
export const RealtimeEvents = {
  AUDIO_CHUNK: 'audio_chunk',
  ERROR: 'error',
  OPEN: 'open',
  CLOSE: 'close',
} as const;
export type RealtimeEvents = (typeof RealtimeEvents)[keyof typeof RealtimeEvents];

/** A message to the server. */
export interface RealtimeMessage {
  toJSON(): { readonly event: string };
}

export class StartEvent implements RealtimeMessage {
  readonly event = 'start';
  readonly request: object;

  constructor(request: object) {
    this.request = request;
  }

  toJSON() {
    return { event: this.event, request: this.request };
  }
}

export class TextEvent implements RealtimeMessage {
  readonly event = 'text';
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON() {
    return { event: this.event, text: this.text };
  }
}

export class FlushEvent implements RealtimeMessage {
  readonly event = 'flush';

  toJSON() {
    return { event: this.event };
  }
}

export class CloseEvent implements RealtimeMessage {
  readonly event = 'stop';

  toJSON() {
    return { event: this.event };
  }
}

type Listener = (...args: unknown[]) => void;

/** A live session with an event interface. */
export class RealtimeConnection {
  readonly #listeners = new Map<string, Set<Listener>>();
  #socket: Socket | undefined;

  on(event: RealtimeEvents, listener: Listener): void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener));
  }

  off(event: RealtimeEvents, listener: Listener): void {
    this.#listeners.get(event)?.delete(listener);
  }

  send(message: RealtimeMessage): void {
    if (this.#socket === undefined) throw new Error('WebSocket is not connected');
    this.#socket.send(pack(message.toJSON() as Packable));
  }

  close(): void {
    this.#socket?.close();
  }

  /** Sends the request and the text, and emits events until the socket closes. */
  async run(opening: Promise<Socket>, request: object, text: AsyncIterable<string>): Promise<void> {
    try {
      const socket = await opening;
      this.#socket = socket;
      this.#emit(RealtimeEvents.OPEN);
      this.send(new StartEvent((await toPackable(request as Record<string, unknown>)) as object));
      const sending = this.#sendText(text);
      for await (const message of socket.messages()) this.#receive(message);
      await sending;
    } catch (error) {
      this.#emit(RealtimeEvents.ERROR, toFishAudioError(error));
    } finally {
      this.#socket = undefined;
      this.#emit(RealtimeEvents.CLOSE);
    }
  }

  async #sendText(text: AsyncIterable<string>): Promise<void> {
    try {
      for await (const piece of text) this.send(new TextEvent(piece));
    } catch (error) {
      this.#emit(RealtimeEvents.ERROR, error);
    } finally {
      if (this.#socket !== undefined) this.send(new CloseEvent());
    }
  }

  #receive(message: Uint8Array): void {
    const frame = unpack(message) as { event: string; audio?: Uint8Array; reason?: string; message?: string };
    if (frame.event === 'audio') this.#emit(RealtimeEvents.AUDIO_CHUNK, frame.audio);
    if (frame.event !== 'finish') return;
    if (frame.reason === 'error')
      this.#emit(RealtimeEvents.ERROR, new Error(frame.message ?? 'WebSocket error'));
    else this.#emit(RealtimeEvents.CLOSE);
  }

  #emit(event: RealtimeEvents, ...args: unknown[]): void {
    for (const listener of this.#listeners.get(event) ?? []) listener(...args);
  }
}
