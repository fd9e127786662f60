import { randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';
import type { CloseReason } from '../../../domain/accounts/keys/live-connections.ts';
import type { AuthenticatedRequest } from '../../dependencies.ts';
import { requireScope } from '../../plugins/auth.ts';
import { CLOSE_CODES } from '../../websocket/close-codes.ts';
import { closeSocket, INVALID_KEY_CLOSE_MS } from '../../websocket/close-socket.ts';
import { FrameWriter, StalledReaderError } from '../../websocket/frame-writer.ts';
import { admitLiveSpeech, type LiveSpeechDeps } from '../../websocket/live-speech-routes.ts';
import { LiveSpeechSession } from '../../websocket/live-speech-session.ts';
import {
  serveTranscriptionSource,
  type TranscriptionSocketDeps,
  transcribeOnce,
} from '../../websocket/serve-transcription.ts';
import type { SocketBudget } from '../../websocket/socket-budgets.ts';
import { toApiError } from '../../wire/error-handler.ts';
import { ByteList } from './byte-list.ts';
import {
  DEFAULT_CONFIG,
  type RealtimeConfig,
  toRealtimeBody,
  toSessionBody,
  updateConfig,
} from './realtime-config.ts';
import { RealtimeError, toRealtimeErrorBody } from './realtime-error.ts';
import {
  type CancelReason,
  parseRealtimeMessage,
  type RealtimeClientEvent,
  type RealtimeItem,
  type RealtimeResponseEvent,
  type RealtimeResponseOptions,
  type RealtimeServerEvent,
  type ServerItem,
} from './realtime-events.ts';
import { RealtimeResponse } from './realtime-response.ts';
import { RealtimeTurns } from './realtime-turns.ts';

/** Maximum number of items that wait for a response. */
const ITEMS_MAX = 1024;
/** Maximum number of commits that wait for their transcript. */
const COMMITS_MAX = 64;

export interface RealtimeOptions {
  readonly request: AuthenticatedRequest;
  readonly deps: LiveSpeechDeps & TranscriptionSocketDeps;
  /** Wire model ids; aliases are resolved. */
  readonly speechModel: string;
  readonly transcriptionModel: 'transcribe-1' | 'transcribe-1-pro';
  /** The model name that the client sent, or the default. */
  readonly modelName: string;
  readonly isTranscription: boolean;
  /** The unprocessed audio and text of this socket. Closed together with the socket. */
  readonly budget: SocketBudget;
  /** Native TTS fields from the headers of the handshake. */
  readonly native: Readonly<Record<string, unknown>>;
}

/** One realtime socket: synthesizes collected text items, and transcribes collected audio. */
export class RealtimeSocket {
  readonly #socket: WebSocket;
  readonly #options: RealtimeOptions;
  readonly #disconnect = new AbortController();
  readonly #id = `sess_${randomUUID()}`;
  /** Texts that wait for a response, by item id. */
  readonly #texts = new Map<string, string>();
  #textChars = 0;
  /** Audio that is not committed yet. */
  #audio = new ByteList();
  #commitCount = 0;
  /** Takes the audio while turns are detected. */
  #turns: RealtimeTurns | undefined;
  #config: RealtimeConfig = DEFAULT_CONFIG;
  #isTranscription: boolean;
  #active: { readonly session: LiveSpeechSession; readonly response: RealtimeResponse } | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(socket: WebSocket, options: RealtimeOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#isTranscription = options.isTranscription;
    // `ws` delivers a Buffer unless `binaryType` is changed.
    socket.on('message', (data) => this.#receive(data as Buffer));
    socket.on('close', () => this.#handleClose());
    this.#restartIdleTimer();
    this.#send({
      type: this.#isTranscription ? 'transcription_session.created' : 'session.created',
      session: this.#session,
    });
  }

  /** Closes the socket because the API key is no longer valid. */
  closeForKey(reason: CloseReason): void {
    this.#send({ type: 'error', error: { type: 'invalid_request_error', code: reason, message: reason } });
    closeSocket(this.#socket, { code: CLOSE_CODES.policy, reason, withinMs: INVALID_KEY_CLOSE_MS });
  }

  #receive(data: Buffer): void {
    this.#restartIdleTimer();
    const message = parseRealtimeMessage(data);
    if (message.kind === 'invalid') this.#sendError(message.error, message.eventId);
    else {
      try {
        if (message.kind === 'audio') this.#append(message.audio);
        else this.#process(message.event);
      } catch (error) {
        this.#sendError(error, message.eventId);
      }
    }
  }

  #process(event: RealtimeClientEvent): void {
    switch (event.type) {
      case 'session.update':
      case 'transcription_session.update':
        this.#isTranscription ||= event.type === 'transcription_session.update';
        this.#config = updateConfig(this.#config, event.session);
        // The next audio starts a session with the new configuration.
        this.#endTurns();
        this.#send({
          type: this.#isTranscription ? 'transcription_session.updated' : 'session.updated',
          session: this.#session,
        });
        break;
      case 'conversation.item.create':
        this.#createItem(event.item);
        break;
      case 'conversation.item.delete':
        this.#deleteText(event.item_id);
        this.#send({ type: 'conversation.item.deleted', item_id: event.item_id });
        break;
      case 'conversation.item.truncate':
        break;
      case 'input_audio_buffer.clear':
        this.#turns?.discard();
        this.#turns = undefined;
        this.#options.budget.release(this.#audio.clear().length);
        this.#send({ type: 'input_audio_buffer.cleared' });
        break;
      case 'input_audio_buffer.commit':
        if (!this.#turns) this.#commit();
        else if (!this.#turns.commit()) throw createTooMuchAudioError();
        break;
      case 'response.create':
        this.#respond(event.response ?? {});
        break;
      case 'response.cancel':
        this.#cancel('client_cancelled');
    }
  }

  #createItem({ id, content }: RealtimeItem): void {
    const item = { id: id ?? `item_${randomUUID()}`, content: content ?? [] };
    if (item.content.some(({ audio }) => audio)) {
      throw new RealtimeError('unsupported_content', 'Send audio with `input_audio_buffer.append`.');
    }
    const text = textOf([item]);
    this.#deleteText(item.id);
    const isTooLarge =
      this.#texts.size >= ITEMS_MAX ||
      this.#textChars + text.length > this.#options.deps.config.textMaxChars ||
      !this.#options.budget.tryAdd(textBytes(text.length));
    if (isTooLarge)
      throw new RealtimeError('conversation_too_large', 'Too much text is waiting for a response.');
    this.#textChars += text.length;
    if (text !== '') this.#texts.set(item.id, text);
    this.#sendItem({ ...item, role: 'user' });
  }

  #deleteText(id: string): void {
    const chars = this.#texts.get(id)?.length ?? 0;
    this.#texts.delete(id);
    this.#textChars -= chars;
    this.#options.budget.release(textBytes(chars));
  }

  #clearTexts(): void {
    this.#options.budget.release(textBytes(this.#textChars));
    this.#textChars = 0;
    this.#texts.clear();
  }

  #append(bytes: Buffer): void {
    const { budget } = this.#options;
    if (!budget.tryAdd(bytes.length)) throw createTooMuchAudioError();
    if (this.#config.turnDetection === undefined) this.#audio.append(bytes);
    else if (!this.#openTurns().append(bytes)) {
      budget.release(bytes.length);
      throw createTooMuchAudioError();
    }
  }

  /** The session that detects turns; a new one after the end of the previous one. */
  #openTurns(): RealtimeTurns {
    if (this.#turns !== undefined && !this.#turns.hasEnded) return this.#turns;
    this.#requireTranscription();
    const { request, deps, transcriptionModel: model, budget } = this.#options;
    const { signal } = this.#disconnect;
    this.#turns = new RealtimeTurns({
      transcribe: (frames, onFrame) =>
        serveTranscriptionSource(deps, { request, model, frames, onFrame, signal }),
      startRequest: { ...this.#startRequest, partials: true },
      budget,
      send: (...events) => this.#send(...events),
      sendItem: (id) => this.#sendAudioItem(id),
      onSpeechStarted: () => {
        if (this.#active && this.#config.turnDetection?.interruptsResponse) this.#cancel('turn_detected');
      },
    });
    return this.#turns;
  }

  #endTurns(): void {
    this.#turns?.close();
    this.#turns = undefined;
  }

  #requireTranscription(): void {
    const { request, native } = this.#options;
    requireScope(request.caller, 'asr');
    if (Object.keys(native).length > 0) {
      throw new RealtimeError(
        'unsupported_native_options',
        'Transcription does not accept `X-Fish-…` headers.',
      );
    }
  }

  get #startRequest() {
    const { inputRateHz: sample_rate, language } = this.#config;
    return { sample_rate, language: language ?? null };
  }

  #commit(): void {
    this.#requireTranscription();
    const { request, deps, transcriptionModel: model } = this.#options;
    if (this.#audio.length === 0)
      throw new RealtimeError('input_audio_buffer_commit_empty', 'The audio buffer is empty.');
    if (this.#commitCount >= COMMITS_MAX)
      throw new RealtimeError('conversation_too_large', 'Too many commits wait for their transcript.');
    const id = `item_${randomUUID()}`;
    const { blocks, length } = this.#audio.clear();
    this.#commitCount += 1;
    this.#send({ type: 'input_audio_buffer.committed', item_id: id, previous_item_id: null });
    this.#sendAudioItem(id);
    const startRequest = { ...this.#startRequest, partials: false };
    const position = { item_id: id, content_index: 0 };
    transcribeOnce(deps, { request, model, startRequest, audio: blocks, signal: this.#disconnect.signal })
      .then(
        ({ text, durationSeconds: seconds }) => {
          this.#options.budget.release(length);
          const type = 'conversation.item.input_audio_transcription.completed';
          this.#send({ type, ...position, transcript: text, usage: { type: 'duration', seconds } });
        },
        (error: unknown) => {
          // The audio returns to the buffer, so that the client can commit it again.
          this.#audio.prepend(blocks);
          const type = 'conversation.item.input_audio_transcription.failed';
          this.#send({ type, ...position, error: toRealtimeErrorBody(error) });
        },
      )
      .finally(() => {
        this.#commitCount -= 1;
      });
  }

  #respond({ input, ...update }: RealtimeResponseOptions): void {
    if (this.#active) throw new RealtimeError('response_already_active', 'A response is already active.');
    const { request, deps, speechModel, native } = this.#options;
    requireScope(request.caller, 'tts');
    const config = updateConfig(this.#config, update);
    const text = input ? textOf(input) : [...this.#texts.values()].join('\n');
    if (text === '')
      throw new RealtimeError('nothing_to_speak', 'Send a text with `conversation.item.create`.');
    const { budget } = this.#options;
    if (!input) this.#clearTexts();
    if (text.length > deps.config.textMaxChars || !budget.tryAdd(textBytes(text.length))) {
      throw new RealtimeError('conversation_too_large', 'The text of the response is too long.');
    }
    const response = new RealtimeResponse(text);
    const body = { ...toRealtimeBody(config, text), ...native };
    const session = new LiveSpeechSession({
      speech: deps.speech,
      writer: new FrameWriter(this.#socket, {
        stallMs: deps.config.streamStallSeconds * 1000,
        protocol: { encode: (frame) => response.encode(frame).map(toMessage) },
      }),
      admit: (signal) => admitLiveSpeech(deps, request, { body, model: speechModel, signal }),
      hasTimings: false,
      bufferMaxChars: deps.config.liveBufferMaxChars,
      budget,
      onSent: () => this.#restartIdleTimer(),
    });
    this.#active = { session, response };
    this.#send(...response.begin());
    session.receive({ event: 'stop' });
    session
      .run()
      .finally(() => budget.release(textBytes(text.length)))
      .then(
        () => this.#finish(response, () => response.complete()),
        (error: unknown) => this.#fail(response, error),
      );
  }

  #cancel(reason: CancelReason): void {
    const active = this.#active;
    if (!active) throw new RealtimeError('response_cancel_not_active', 'No response is active.');
    this.#finish(active.response, () => active.response.cancel(reason));
    active.session.abort(new Error('The response was cancelled.'));
  }

  #finish(response: RealtimeResponse, events: () => readonly RealtimeResponseEvent[]): void {
    if (this.#active?.response !== response) return;
    this.#active = undefined;
    this.#send(...events());
  }

  #fail(response: RealtimeResponse, error: unknown): void {
    if (error instanceof StalledReaderError) this.#socket.terminate();
    const isCancelled = this.#active?.response !== response;
    if (isCancelled) return;
    const { status, code } = toApiError(error);
    const { log } = this.#options.request;
    if (status >= 500) log.error({ err: error, code }, 'realtime response failed');
    this.#finish(response, () => response.fail(error));
  }

  #handleClose(): void {
    clearTimeout(this.#idleTimer);
    this.#endTurns();
    this.#options.budget.close();
    this.#disconnect.abort(new Error('The client closed the connection.'));
    this.#active?.session.abort(this.#disconnect.signal.reason);
    this.#active = undefined;
  }

  #restartIdleTimer(): void {
    clearTimeout(this.#idleTimer);
    const close = () => closeSocket(this.#socket, { code: CLOSE_CODES.normal, reason: 'idle' });
    this.#idleTimer = setTimeout(close, this.#options.deps.config.liveSilenceSeconds * 1000).unref();
  }

  get #session() {
    const { modelName: model } = this.#options;
    return toSessionBody(this.#config, { id: this.#id, model, isTranscription: this.#isTranscription });
  }

  #sendAudioItem(id: string): void {
    this.#sendItem({ id, role: 'user', content: [{ type: 'input_audio', transcript: null }] });
  }

  #sendItem(item: Pick<ServerItem, 'id' | 'role' | 'content'>): void {
    const completed = { object: 'realtime.item', type: 'message', status: 'completed', ...item } as const;
    this.#send(
      { type: 'conversation.item.added', item: completed, previous_item_id: null },
      { type: 'conversation.item.done', item: completed, previous_item_id: null },
    );
  }

  #sendError(error: unknown, eventId: unknown): void {
    this.#send({ type: 'error', error: { ...toRealtimeErrorBody(error), event_id: eventId ?? null } });
  }

  #send(...events: readonly RealtimeServerEvent[]): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    for (const event of events) this.#socket.send(toMessage(event), () => {});
  }
}

function createTooMuchAudioError(): RealtimeError {
  return new RealtimeError('conversation_too_large', 'Too much audio is waiting for transcription.');
}

/** Memory of a text: JavaScript stores up to two bytes per UTF-16 code unit. */
function textBytes(chars: number): number {
  return 2 * chars;
}

function toMessage(event: RealtimeServerEvent): string {
  return JSON.stringify({ event_id: `event_${randomUUID()}`, ...event });
}

function textOf(items: readonly RealtimeItem[]): string {
  const parts = items.flatMap(({ content }) => content ?? []);
  return parts.flatMap(({ text }) => text || []).join('\n');
}
