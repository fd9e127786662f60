import type { WebSocket } from 'ws';

/** A socket that can be ended with and without its running sessions. */
export interface DrainableSocket {
  /** Accepts no new session, and closes the socket after the running ones. */
  drain(): void;
  /** Ends the running sessions. */
  stop(): void;
}

/** The registry of open live speech sockets. */
export class LiveSpeechSockets {
  readonly #open = new Map<WebSocket, DrainableSocket>();

  /** Registers a socket until it closes. */
  add(socket: WebSocket, live: DrainableSocket): void {
    this.#open.set(socket, live);
    socket.once('close', () => this.#open.delete(socket));
  }

  has(socket: WebSocket): boolean {
    return this.#open.has(socket);
  }

  /** Lets running sessions finish, and closes every socket without one. */
  drain(): void {
    for (const live of this.#open.values()) live.drain();
  }

  /** Ends all sessions. */
  stop(): void {
    for (const live of this.#open.values()) live.stop();
  }
}
