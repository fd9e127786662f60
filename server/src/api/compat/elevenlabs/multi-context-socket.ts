import type { FastifyBaseLogger } from 'fastify';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import { type CloseReason, closeErrorOf } from '../../../domain/accounts/keys/live-connections.ts';
import { ApiError, ERRORS } from '../../../errors.ts';
import { CLOSE_CODES, type CloseCode, closeCodeOf } from '../../websocket/close-codes.ts';
import { closeSocket, INVALID_KEY_CLOSE_MS, terminateAfter } from '../../websocket/close-socket.ts';
import { FrameWriter, StalledReaderError } from '../../websocket/frame-writer.ts';
import type { SpeechServerFrame } from '../../websocket/live-speech-frames.ts';
import { LiveSpeechSession, type SpeechInputFrame } from '../../websocket/live-speech-session.ts';
import type { LiveSpeechSocketOptions } from '../../websocket/live-speech-socket.ts';
import { toApiError } from '../../wire/error-handler.ts';
import { parseBody } from '../../wire/validation.ts';
import { parseJsonMessage } from '../parse-json-message.ts';
import {
  DictionaryLocatorsSchema,
  toDictionaryFields,
  toVoiceFields,
  VoiceSettingsSchema,
} from './settings.ts';
import { SpeechMessages, type SpeechMessagesOptions } from './speech-messages.ts';

/** Maximum number of contexts that are open or still speak. */
const CONTEXTS_MAX = 10;
const CONTEXT_ID_MAX_CHARS = 128;
const DEFAULT_CONTEXT = 'default';

/** A client message. The server decides when to synthesize, so `generation_config` is ignored. */
const ClientMessageSchema = z.object({
  context_id: z.string().max(CONTEXT_ID_MAX_CHARS).nullish(),
  contextId: z.string().max(CONTEXT_ID_MAX_CHARS).nullish(),
  text: z.string().nullish(),
  voice_settings: VoiceSettingsSchema.nullish(),
  pronunciation_dictionary_locators: DictionaryLocatorsSchema,
  flush: z.boolean().nullish(),
  close_context: z.boolean().nullish(),
  close_socket: z.boolean().nullish(),
});
type ClientMessage = z.output<typeof ClientMessageSchema>;

interface SpeechContext {
  readonly session: LiveSpeechSession;
  readonly messages: SpeechMessages;
  readonly writer: FrameWriter;
}

export interface MultiContextOptions
  extends Omit<LiveSpeechSocketOptions, 'protocol' | 'hasTimings'>,
    SpeechMessagesOptions {
  readonly logger: FastifyBaseLogger;
  /** The native body of every context. */
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * ElevenLabs' `multi-stream-input` protocol: several texts, each in a context with its own session, on one socket. An
 * error in a context ends that context; an invalid message closes the socket.
 */
export class MultiContextSocket {
  readonly #socket: WebSocket;
  readonly #options: MultiContextOptions;
  readonly #contexts = new Map<string, SpeechContext>();
  #isClosing = false;
  /** Whether the socket closes after its last context. */
  #isEnding: CloseCode | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(socket: WebSocket, options: MultiContextOptions) {
    this.#socket = socket;
    this.#options = options;
    // `ws` delivers a Buffer unless `binaryType` is changed.
    socket.on('message', (data) => this.#receive(data as Buffer));
    socket.on('close', () => this.#handleClose());
    this.#restartIdleTimer();
  }

  /** Accepts no new context, and closes the socket after the running ones. */
  drain(): void {
    this.#end(CLOSE_CODES.goingAway);
  }

  stop(): void {
    if (this.#contexts.size === 0) this.#socket.terminate();
    else this.#fail(new ApiError('shutting_down', 'The server is shutting down.'));
  }

  closeForKey(reason: CloseReason): void {
    terminateAfter(this.#socket, INVALID_KEY_CLOSE_MS);
    this.#fail(closeErrorOf(reason), reason);
  }

  #receive(bytes: Buffer): void {
    if (this.#isClosing) return;
    try {
      const { frameMaxBytes } = this.#options;
      if (bytes.length > frameMaxBytes) {
        throw new ApiError('body_too_large', `A message has at most ${frameMaxBytes} bytes.`);
      }
      this.#process(parseBody(ClientMessageSchema, parseJsonMessage(bytes)), bytes.length);
      this.#restartIdleTimer();
    } catch (error) {
      this.#fail(error);
    }
  }

  #process(message: ClientMessage, messageBytes: number): void {
    if (message.close_socket) {
      for (const { session } of this.#contexts.values()) stopSession(session);
      this.#end(CLOSE_CODES.normal);
      return;
    }
    const id = message.context_id ?? message.contextId ?? DEFAULT_CONTEXT;
    try {
      this.#processInContext(id, message, messageBytes);
    } catch (error) {
      this.#failContext(id, this.#contexts.get(id), error);
    }
  }

  #processInContext(id: string, message: ClientMessage, messageBytes: number): void {
    const { text, flush, close_context: isClosed } = message;
    // Messages without text keep the connection alive.
    if (!text && !this.#contexts.has(id)) return;
    const isNew = !this.#contexts.has(id);
    const context = this.#contexts.get(id) ?? this.#open(id, message, messageBytes);
    const { session, messages } = context;
    const frames: SpeechInputFrame[] = [];
    // The single space of the first message is not part of the text.
    if (text && !(isNew && text === ' ')) frames.push({ event: 'text', text });
    if (flush) frames.push({ event: 'flush' });
    if (isClosed) frames.push({ event: 'stop' });
    if (frames.length === 0) return;
    if (session.hasStopped) {
      if (!text) return;
      throw new ApiError('live_protocol', 'Text was sent to a closed context.');
    }
    for (const frame of frames) {
      if (frame.event === 'text') messages.addText(frame.text ?? '');
      session.receive(frame);
    }
  }

  #open(id: string, message: ClientMessage, messageBytes: number): SpeechContext {
    if (this.#isEnding === CLOSE_CODES.normal) {
      throw new ApiError('live_protocol', 'Text was sent after `close_socket`.');
    }
    if (this.#isEnding !== undefined) throw new ApiError('shutting_down', 'The connection is closing.');
    if (this.#contexts.size >= CONTEXTS_MAX) {
      throw new ApiError('concurrency_exceeded', `A connection has at most ${CONTEXTS_MAX} contexts.`);
    }
    const { budget, admit, body } = this.#options;
    if (!budget.tryAdd(messageBytes)) {
      throw new ApiError('body_too_large', 'The WebSockets of the account hold too much data.');
    }
    const request = {
      ...body,
      ...toVoiceFields(message.voice_settings),
      ...toDictionaryFields(message.pronunciation_dictionary_locators),
    };
    const messages = new SpeechMessages(this.#options);
    function* encode(frame: SpeechServerFrame): Generator<string, void> {
      for (const part of messages.encode(frame))
        yield JSON.stringify({ ...part, contextId: id, context_id: id });
    }
    const writer = new FrameWriter(this.#socket, { ...this.#options, protocol: { encode } });
    const session = new LiveSpeechSession({
      ...this.#options,
      hasTimings: this.#options.timeOrigin !== undefined,
      writer,
      admit: (signal) => admit(request, signal),
      onSent: () => this.#restartIdleTimer(),
    });
    const context = { session, messages, writer };
    this.#contexts.set(id, context);
    session
      .run()
      .finally(() => budget.release(messageBytes))
      .then(
        () => this.#finishContext(id, context, 'finished'),
        (error: unknown) => this.#failContext(id, context, error),
      );
    return context;
  }

  #finishContext(id: string, context: SpeechContext, outcome: string): void {
    if (this.#contexts.get(id) !== context) return;
    this.#contexts.delete(id);
    this.#log(context.session, outcome);
    if (this.#isClosing) return;
    if (this.#isEnding !== undefined && this.#contexts.size === 0) this.#close(this.#isEnding);
    else this.#restartIdleTimer();
  }

  /** Ends a context with an error message; `context` is undefined when it was not opened. */
  #failContext(id: string, context: SpeechContext | undefined, error: unknown): void {
    if (this.#isClosing || (context !== undefined && this.#contexts.get(id) !== context)) return;
    if (error instanceof StalledReaderError) {
      this.#socket.terminate();
      return;
    }
    const { code, message, status } = toApiError(error);
    if (status >= 500) this.#options.logger.error({ err: error, code }, 'live session failed');
    this.#send({ error: message, code: ERRORS[code].status, contextId: id, context_id: id });
    if (context === undefined) return;
    context.session.abort(error);
    this.#finishContext(id, context, code);
  }

  #send(message: object): void {
    this.#socket.send(JSON.stringify(message), () => {});
  }

  /** Closes the socket when no context is left. */
  #end(code: CloseCode): void {
    this.#isEnding ??= code;
    if (this.#contexts.size === 0) this.#close(this.#isEnding);
  }

  /** Ends all contexts, and closes the socket with an error message. */
  #fail(error: unknown, reason?: CloseReason): void {
    if (this.#isClosing) return;
    const { code, message, status } = toApiError(error);
    if (status >= 500) this.#options.logger.error({ err: error, code }, 'live socket failed');
    this.#isClosing = true;
    this.#abortAll(error, code);
    this.#send({ error: message, code: ERRORS[code].status });
    this.#close(closeCodeOf(code), reason ?? code);
  }

  #abortAll(error: unknown, outcome: string): void {
    for (const { session } of this.#contexts.values()) {
      session.abort(error);
      this.#log(session, outcome);
    }
    this.#contexts.clear();
  }

  #handleClose(): void {
    this.#isClosing = true;
    clearTimeout(this.#idleTimer);
    this.#abortAll(new Error('The client closed the connection.'), 'left');
  }

  #close(code: CloseCode, reason = ''): void {
    this.#isClosing = true;
    clearTimeout(this.#idleTimer);
    closeSocket(this.#socket, { code, reason });
  }

  #restartIdleTimer(): void {
    if (this.#isClosing) return;
    clearTimeout(this.#idleTimer);
    const { idleMs, silenceMs } = this.#options;
    const expire = () =>
      this.#contexts.size === 0
        ? this.#close(CLOSE_CODES.normal)
        : this.#fail(new ApiError('live_silence', 'No text was received in time. Close finished contexts.'));
    this.#idleTimer = setTimeout(expire, this.#contexts.size === 0 ? idleMs : silenceMs);
  }

  /** Writes one log line per context. It contains no text. */
  #log(session: LiveSpeechSession, outcome: string): void {
    this.#options.logger.info({ ...session.report, outcome }, 'live session ended');
  }
}

function stopSession(session: LiveSpeechSession): void {
  if (!session.hasStopped) session.receive({ event: 'stop' });
}
