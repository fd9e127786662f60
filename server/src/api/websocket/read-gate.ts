import type { WebSocket } from 'ws';
import { watchStall } from '../responses/stall-watch.ts';
import { unreadOutputBytes } from './unread-output.ts';

/** Outgoing bytes in memory above which the server stops reading from the socket. */
const OUTGOING_BYTES_MAX = 1024 * 1024;
const POLL_MS = 20;
/** Interval of pings to a client from which the server does not read. */
const PING_MS = 1000;
/** A client may send as many frames at once as in this time. */
const BURST_SECONDS = 2;

type Reason = 'unprocessed input' | 'unsent output' | 'frame rate';

type PausableSocket = Pick<WebSocket, 'pause' | 'resume' | 'ping' | 'readyState' | 'OPEN' | 'bufferedAmount'>;

const gates = new WeakMap<WebSocket, ReadGate>();

/** The gate of a socket. */
export function readGateOf(socket: WebSocket): ReadGate {
  const gate = gates.get(socket) ?? new ReadGate(socket);
  gates.set(socket, gate);
  return gate;
}

/**
 * Pauses reading from a socket while at least one reason exists. Without reading, a disconnection is noticed only when
 * something is sent: the gate sends pings meanwhile.
 */
export class ReadGate {
  readonly #socket: PausableSocket;
  readonly #reasons = new Set<Reason>();
  #pinging: NodeJS.Timeout | undefined;

  constructor(socket: PausableSocket) {
    this.#socket = socket;
  }

  pause(reason: Reason): void {
    if (this.#reasons.size === 0) {
      this.#socket.pause();
      this.#pinging = setInterval(() => this.#ping(), PING_MS).unref();
    }
    this.#reasons.add(reason);
  }

  resume(reason: Reason): void {
    if (!this.#reasons.delete(reason) || this.#reasons.size > 0) return;
    clearInterval(this.#pinging);
    this.#socket.resume();
  }

  #ping(): void {
    const { readyState, OPEN, bufferedAmount } = this.#socket;
    if (readyState !== OPEN) clearInterval(this.#pinging);
    // Unsent bytes make the system report a disconnection as well.
    else if (bufferedAmount === 0) this.#socket.ping(undefined, undefined, () => {});
  }
}

/** Limits the rate at which messages and pings of a client are read. */
export function limitFrameRate(socket: WebSocket, { perSecond }: { readonly perSecond: number }): void {
  const gate = readGateOf(socket);
  const burst = BURST_SECONDS * perSecond;
  let allowed = burst;
  let countedAtMs = Date.now();
  let timer: NodeJS.Timeout | undefined;
  const count = () => {
    const nowMs = Date.now();
    allowed = Math.min(burst, allowed + ((nowMs - countedAtMs) / 1000) * perSecond) - 1;
    countedAtMs = nowMs;
    if (allowed >= 0 || timer !== undefined) return;
    gate.pause('frame rate');
    const resume = () => {
      timer = undefined;
      gate.resume('frame rate');
    };
    timer = setTimeout(resume, Math.ceil((-allowed / perSecond) * 1000)).unref();
  };
  socket.on('message', count);
  socket.on('ping', count);
  socket.on('close', () => clearTimeout(timer));
}

/**
 * Stops reading while the client does not read: every message and every ping may cause output. Terminates a connection whose
 * client reads nothing for `stallMs`.
 */
export function limitOutput(socket: WebSocket, { stallMs }: { readonly stallMs: number }): void {
  const gate = readGateOf(socket);
  let timer: NodeJS.Timeout | undefined;
  let endWatch = () => {};
  const check = () => {
    if (timer !== undefined || socket.bufferedAmount <= OUTGOING_BYTES_MAX) return;
    gate.pause('unsent output');
    endWatch = watchStall({
      stallMs,
      unreadBytes: () => unreadOutputBytes(socket),
      onStall: () => socket.terminate(),
    });
    timer = setInterval(() => {
      if (socket.bufferedAmount > OUTGOING_BYTES_MAX) return;
      endWatch();
      clearInterval(timer);
      timer = undefined;
      gate.resume('unsent output');
    }, POLL_MS).unref();
  };
  socket.on('message', check);
  socket.on('ping', check);
  socket.on('close', () => {
    endWatch();
    clearInterval(timer);
  });
}
