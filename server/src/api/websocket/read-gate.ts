import type { WebSocket } from 'ws';

/** Outgoing bytes in memory above which the server stops reading from the socket. */
const OUTGOING_BYTES_MAX = 1024 * 1024;
const POLL_MS = 20;

type Reason = 'unprocessed input' | 'unsent output';

const gates = new WeakMap<WebSocket, ReadGate>();

/** The gate of a socket. */
export function readGateOf(socket: WebSocket): ReadGate {
  const gate = gates.get(socket) ?? new ReadGate(socket);
  gates.set(socket, gate);
  return gate;
}

/** Pauses reading from a socket while at least one reason exists. */
export class ReadGate {
  readonly #socket: Pick<WebSocket, 'pause' | 'resume'>;
  readonly #reasons = new Set<Reason>();

  constructor(socket: Pick<WebSocket, 'pause' | 'resume'>) {
    this.#socket = socket;
  }

  pause(reason: Reason): void {
    if (this.#reasons.size === 0) this.#socket.pause();
    this.#reasons.add(reason);
  }

  resume(reason: Reason): void {
    if (this.#reasons.delete(reason) && this.#reasons.size === 0) this.#socket.resume();
  }
}

/**
 * Stops reading while the client does not read: every message and every ping may cause output. Terminates a
 * connection whose output does not decrease below the limit within `stallMs`.
 */
export function limitOutput(socket: WebSocket, { stallMs }: { readonly stallMs: number }): void {
  const gate = readGateOf(socket);
  let timer: NodeJS.Timeout | undefined;
  const check = () => {
    if (timer !== undefined || socket.bufferedAmount <= OUTGOING_BYTES_MAX) return;
    gate.pause('unsent output');
    const deadlineMs = Date.now() + stallMs;
    timer = setInterval(() => {
      if (socket.bufferedAmount > OUTGOING_BYTES_MAX) {
        if (Date.now() > deadlineMs) socket.terminate();
        return;
      }
      clearInterval(timer);
      timer = undefined;
      gate.resume('unsent output');
    }, POLL_MS).unref();
  };
  socket.on('message', check);
  socket.on('ping', check);
  socket.on('close', () => clearInterval(timer));
}
