import type { RawData, WebSocket } from 'ws';
import { AsyncQueue } from '../../concurrency/async-queue.ts';
import { type CloseReason, closeErrorOf } from '../../domain/accounts/keys/live-connections.ts';
import { ApiError } from '../../errors.ts';
import { CLOSE_CODES, type CloseCode } from './close-codes.ts';
import { closeSocket, INVALID_KEY_CLOSE_MS } from './close-socket.ts';
import type { TranscriptionClientFrame, TranscriptionServerFrame } from './live-transcription-frames.ts';
import type { LiveTranscriptionProtocol } from './live-transcription-protocol.ts';
import { type ReadGate, readGateOf } from './read-gate.ts';
import type { SocketBudget } from './socket-budgets.ts';

const IDLE_MESSAGE = 'Nothing was received in time. Send `stop` at the end of the audio.';

/** Unprocessed frames above which reading from the socket pauses. */
const QUEUED_FRAMES_MAX = 64;

/** A WebSocket of live transcription: decoded frames in, encoded frames out. */
export class TranscriptionSocket {
  readonly #socket: WebSocket;
  readonly #protocol: LiveTranscriptionProtocol;
  readonly #frames = new AsyncQueue<{ readonly frame: TranscriptionClientFrame; readonly bytes: number }>(
    () => {},
  );
  readonly #budget: SocketBudget;
  readonly #gate: ReadGate;
  readonly #frameMaxBytes: number;
  readonly #disconnect = new AbortController();
  readonly #idleMs: number;
  #idleTimer: NodeJS.Timeout | undefined;
  #queuedFrames = 0;
  /** Whether a message was invalid. Later messages are ignored, so that the error ends the frames. */
  #hasFailed = false;
  /** Whether a frame is being processed. The idle timeout does not run meanwhile. */
  #isBusy = false;

  constructor(
    socket: WebSocket,
    options: {
      /** Time without a message after which `frames` throws `live_silence`. */
      readonly idleMs: number;
      readonly protocol: LiveTranscriptionProtocol;
      /** The unprocessed bytes of this socket. Closed together with the socket. */
      readonly budget: SocketBudget;
      readonly frameMaxBytes: number;
    },
  ) {
    this.#socket = socket;
    this.#idleMs = options.idleMs;
    this.#protocol = options.protocol;
    this.#budget = options.budget;
    this.#frameMaxBytes = options.frameMaxBytes;
    this.#gate = readGateOf(socket);
    this.#budget.onRelease = () => this.#updateGate();
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.on('close', () => this.#handleClose());
    // `close` follows every `error`.
    socket.on('error', () => {});
    this.#restartIdleTimer();
  }

  /** Aborts when the client disconnects. */
  get signal(): AbortSignal {
    return this.#disconnect.signal;
  }

  /** The client's frames until it disconnects. A slow consumer causes backpressure. Throws `live_silence`. */
  async *frames(): AsyncGenerator<TranscriptionClientFrame> {
    for await (const { frame, bytes } of this.#frames) {
      this.#queuedFrames -= 1;
      this.#isBusy = true;
      clearTimeout(this.#idleTimer);
      yield frame;
      this.#isBusy = false;
      this.#budget.release(bytes);
      this.#restartIdleTimer();
    }
  }

  send(frame: TranscriptionServerFrame): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    for (const message of this.#protocol.encode(frame)) this.#socket.send(message, () => {});
  }

  close(code: CloseCode, reason: string): void {
    closeSocket(this.#socket, { code, reason });
  }

  /** Closes the socket because the API key is no longer valid. */
  closeForKey(reason: CloseReason): void {
    const { message, code } = closeErrorOf(reason);
    this.send({ event: 'error', error: message, code });
    this.send({ event: 'finish', reason: 'error', message });
    closeSocket(this.#socket, { code: CLOSE_CODES.policy, reason, withinMs: INVALID_KEY_CLOSE_MS });
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (this.#hasFailed) return;
    // `ws` delivers a Buffer unless `binaryType` is changed.
    const bytes = data as Buffer;
    let frames: readonly TranscriptionClientFrame[];
    try {
      if (bytes.length > this.#frameMaxBytes) {
        throw new ApiError('body_too_large', `A frame has at most ${this.#frameMaxBytes} bytes.`);
      }
      frames = this.#protocol.decode(bytes, isBinary);
    } catch (error) {
      this.#hasFailed = true;
      this.#frames.fail(error);
      return;
    }
    this.#restartIdleTimer();
    this.#queuedFrames += frames.length;
    // The bytes of a message are released with its last frame.
    frames.forEach((frame, index) => {
      this.#frames.push({ frame, bytes: index === frames.length - 1 ? bytes.length : 0 });
    });
    if (frames.length > 0) this.#budget.add(bytes.length);
    this.#updateGate();
  }

  /** Reads from the socket only while the unprocessed frames are within their limits. */
  #updateGate(): void {
    if (this.#queuedFrames >= QUEUED_FRAMES_MAX || this.#budget.isExceeded) {
      this.#gate.pause('unprocessed input');
    } else this.#gate.resume('unprocessed input');
  }

  #restartIdleTimer(): void {
    clearTimeout(this.#idleTimer);
    if (this.#isBusy || this.signal.aborted) return;
    const onIdle = () => this.#frames.fail(new ApiError('live_silence', IDLE_MESSAGE));
    this.#idleTimer = setTimeout(onIdle, this.#idleMs).unref();
  }

  #handleClose(): void {
    clearTimeout(this.#idleTimer);
    this.#budget.close();
    this.#frames.end();
    this.#disconnect.abort(new Error('The client closed the connection.'));
  }
}
