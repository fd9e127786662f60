import type { WebSocket } from 'ws';
import type { LiveSocket } from './live-socket.ts';

/** All sockets of live speech. */
export class LiveSockets {
  readonly #open = new Map<WebSocket, LiveSocket>();

  /** Keeps a socket until it is closed. */
  add(socket: WebSocket, live: LiveSocket): void {
    this.#open.set(socket, live);
    socket.once('close', () => this.#open.delete(socket));
  }

  has(socket: WebSocket): boolean {
    return this.#open.has(socket);
  }

  /** Lets sessions come to their end, and closes every socket that has none. */
  drain(): void {
    for (const live of this.#open.values()) live.drain();
  }

  /** Ends all sessions. */
  stop(): void {
    for (const live of this.#open.values()) live.stop();
  }
}
