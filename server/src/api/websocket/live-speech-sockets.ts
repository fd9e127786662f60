import type { WebSocket } from 'ws';
import type { LiveSpeechSocket } from './live-speech-socket.ts';

/** The registry of open live speech sockets. */
export class LiveSpeechSockets {
  readonly #open = new Map<WebSocket, LiveSpeechSocket>();

  /** Registers a socket until it closes. */
  add(socket: WebSocket, live: LiveSpeechSocket): void {
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
