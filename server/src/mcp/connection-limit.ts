import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Limits the connections of a server. Above the limit the oldest connection that has sent no valid key is closed, so that
 * clients without a key cannot keep others out; a new one only when there is no such connection.
 */
export class ConnectionLimit {
  /** Connections without a valid key, the oldest first. */
  readonly #unverified = new Set<Socket>();
  readonly #verified = new Set<Socket>();

  constructor(server: Pick<Server, 'on'>, max: number) {
    server.on('connection', (socket: Socket) => {
      this.#unverified.add(socket);
      socket.once('close', () => {
        this.#unverified.delete(socket);
        this.#verified.delete(socket);
      });
      if (this.#unverified.size + this.#verified.size <= max) return;
      const [oldest] = this.#unverified;
      if (oldest === undefined) return;
      this.#unverified.delete(oldest);
      oldest.destroy();
    });
  }

  /** Records that a valid key was sent over this connection. */
  markVerified(socket: Socket): void {
    if (this.#unverified.delete(socket)) this.#verified.add(socket);
  }
}
