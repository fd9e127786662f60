import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import type { CloseReason } from '../../../domain/accounts/keys/live-connections.ts';
import { requireScope } from '../../plugins/auth.ts';
import { CLOSE_CODES } from '../../websocket/close-codes.ts';
import { closeSocket, DISMISSING_MS } from '../../websocket/close-socket.ts';
import { FrameWriter, StalledReaderError } from '../../websocket/frame-writer.ts';
import { admitLive, type LiveDeps } from '../../websocket/live-routes.ts';
import { LiveSession } from '../../websocket/live-session.ts';
import { hearOnce, type ListeningDeps } from '../../websocket/serve-listening.ts';
import { toApiError } from '../../wire/error-handler.ts';
import { parseBody } from '../../wire/validation.ts';
import { parseMessage } from '../json-message.ts';
import {
  changeConfig,
  DEFAULT_CONFIG,
  type RealtimeConfig,
  SessionSchema,
  toRealtimeBody,
  toSessionBody,
} from './realtime-config.ts';
import { RealtimeProblem, toRealtimeError } from './realtime-error.ts';
import { RealtimeResponse } from './realtime-response.ts';

const Part = z.object({ type: z.string(), text: z.string().nullish(), audio: z.string().nullish() });
const Item = z.object({ id: z.string().nullish(), content: z.array(Part).nullish() });
const ResponseWish = SessionSchema.extend({ input: z.array(Item).nullish() });
const EventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('session.update'), session: SessionSchema }),
  z.object({ type: z.literal('transcription_session.update'), session: SessionSchema }),
  z.object({ type: z.literal('conversation.item.create'), item: Item }),
  z.object({ type: z.literal('conversation.item.delete'), item_id: z.string() }),
  z.object({ type: z.literal('conversation.item.truncate') }),
  z.object({ type: z.literal('input_audio_buffer.append'), audio: z.string() }),
  z.object({ type: z.literal('input_audio_buffer.commit') }),
  z.object({ type: z.literal('input_audio_buffer.clear') }),
  z.object({ type: z.literal('response.create'), response: ResponseWish.nullish() }),
  z.object({ type: z.literal('response.cancel') }),
]);
type ClientEvent = z.output<typeof EventSchema>;
const KNOWN_TYPES = new Set(EventSchema.options.flatMap(({ shape }) => [...shape.type.values]));

const ITEMS_MAX = 1024;

export interface RealtimeOptions {
  readonly request: FastifyRequest;
  readonly deps: LiveDeps & ListeningDeps;
  /** Wire model ids, with aliases already resolved. */
  readonly speechModel: string;
  readonly hearingModel: 'transcribe-1' | 'transcribe-1-pro';
  /** What the client named, or would have. */
  readonly modelName: string;
  readonly isTranscription: boolean;
  /** Fields of our own that came with the handshake. */
  readonly native: Readonly<Record<string, unknown>>;
}

/** One realtime socket: texts are collected and spoken, sound is collected and written down. */
export class RealtimeSocket {
  readonly #socket: WebSocket;
  readonly #options: RealtimeOptions;
  readonly #gone = new AbortController();
  readonly #id = `sess_${randomUUID()}`;
  /** Texts that wait to be spoken, by their items. */
  readonly #texts = new Map<string, string>();
  #sound: Buffer[] = [];
  /** Sound that was committed and is not written down yet. */
  #pendingBytes = 0;
  #config: RealtimeConfig = DEFAULT_CONFIG;
  #isTranscription: boolean;
  #active: { readonly session: LiveSession; readonly response: RealtimeResponse } | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(socket: WebSocket, options: RealtimeOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#isTranscription = options.isTranscription;
    socket.on('message', (data) => this.#receive(data as Buffer));
    socket.on('close', () => this.#leave());
    this.#watch();
    this.#tell({ type: `${this.#prefix}session.created`, session: this.#session });
  }

  /** The key is not valid any more. */
  dismiss(reason: CloseReason): void {
    this.#tell({ type: 'error', error: { type: 'invalid_request_error', code: reason, message: reason } });
    closeSocket(this.#socket, { code: CLOSE_CODES.policy, reason, withinMs: DISMISSING_MS });
  }

  #receive(data: Buffer): void {
    this.#watch();
    let eventId: unknown;
    try {
      const message = parseMessage(data) as { readonly type?: unknown; readonly event_id?: unknown } | null;
      eventId = message?.event_id;
      if (!KNOWN_TYPES.has(message?.type as ClientEvent['type'])) {
        throw new RealtimeProblem('unknown_event_type', 'There is no such event.');
      }
      this.#obey(parseBody(EventSchema, message));
    } catch (error) {
      this.#tell({ type: 'error', error: { ...toRealtimeError(error), event_id: eventId ?? null } });
    }
  }

  #obey(event: ClientEvent): void {
    switch (event.type) {
      case 'session.update':
      case 'transcription_session.update':
        this.#isTranscription ||= event.type === 'transcription_session.update';
        this.#config = changeConfig(this.#config, event.session);
        this.#tell({ type: `${this.#prefix}session.updated`, session: this.#session });
        break;
      case 'conversation.item.create':
        this.#create(event.item);
        break;
      case 'conversation.item.delete':
        this.#texts.delete(event.item_id);
        this.#tell({ type: 'conversation.item.deleted', item_id: event.item_id });
        break;
      case 'conversation.item.truncate':
        break;
      case 'input_audio_buffer.append':
        this.#append(Buffer.from(event.audio, 'base64'));
        break;
      case 'input_audio_buffer.clear':
        this.#sound = [];
        this.#tell({ type: 'input_audio_buffer.cleared' });
        break;
      case 'input_audio_buffer.commit':
        this.#commit();
        break;
      case 'response.create':
        this.#respond(event.response ?? {});
        break;
      case 'response.cancel':
        this.#cancel();
    }
  }

  #create({ id, content }: z.output<typeof Item>): void {
    const item = { id: id ?? `item_${randomUUID()}`, content: content ?? [] };
    if (item.content.some(({ audio }) => audio)) {
      throw new RealtimeProblem('unsupported_content', 'Send sound with `input_audio_buffer.append`.');
    }
    const text = textOf([item]);
    const isTooLarge = this.#texts.size >= ITEMS_MAX || text.length > this.#options.deps.config.textMaxChars;
    if (isTooLarge) throw new RealtimeProblem('conversation_too_large', 'Too much text waits to be spoken.');
    if (text !== '') this.#texts.set(item.id, text);
    this.#tellItem({ ...item, role: 'user' });
  }

  #append(bytes: Buffer): void {
    const waitingBytes = this.#sound.reduce((sum, { length }) => sum + length, this.#pendingBytes);
    if (waitingBytes + bytes.length > this.#options.deps.config.asrUploadMaxBytes) {
      throw new RealtimeProblem('conversation_too_large', 'Too much sound waits to be committed.');
    }
    this.#sound.push(bytes);
  }

  #commit(): void {
    const { request, deps, hearingModel: model, native } = this.#options;
    requireScope(request.caller!, 'asr');
    if (Object.keys(native).length > 0) {
      throw new RealtimeProblem('unsupported_native_options', 'Transcription takes no `X-Fish-…` headers.');
    }
    const audio = Buffer.concat(this.#sound);
    if (audio.length === 0)
      throw new RealtimeProblem('input_audio_buffer_commit_empty', 'No sound has come.');
    const id = `item_${randomUUID()}`;
    this.#sound = [];
    this.#pendingBytes += audio.length;
    this.#tell({ type: 'input_audio_buffer.committed', item_id: id, previous_item_id: null });
    this.#tellItem({ id, role: 'user', content: [{ type: 'input_audio', transcript: null }] });
    const { inputRateHz: sample_rate, language } = this.#config;
    const wish = { sample_rate, language: language ?? null, partials: false };
    const place = { item_id: id, content_index: 0 };
    const event = 'conversation.item.input_audio_transcription';
    hearOnce(deps, { request, model, wish, audio, signal: this.#gone.signal })
      .then(
        ({ text, durationSeconds: seconds }) => {
          const usage = { type: 'duration', seconds };
          this.#tell({ type: `${event}.completed`, ...place, transcript: text, usage });
        },
        (error: unknown) => {
          // It may be committed again.
          this.#sound.unshift(audio);
          this.#tell({ type: `${event}.failed`, ...place, error: toRealtimeError(error) });
        },
      )
      .finally(() => {
        this.#pendingBytes -= audio.length;
      });
  }

  #respond({ input, ...wish }: z.output<typeof ResponseWish>): void {
    if (this.#active) throw new RealtimeProblem('response_already_active', 'A response is running.');
    const { request, deps, speechModel, native } = this.#options;
    requireScope(request.caller!, 'tts');
    const config = changeConfig(this.#config, wish);
    const text = input ? textOf(input) : [...this.#texts.values()].join('\n');
    if (text === '')
      throw new RealtimeProblem('nothing_to_speak', 'Send a text with `conversation.item.create`.');
    if (!input) this.#texts.clear();
    const response = new RealtimeResponse(text);
    const body = { ...toRealtimeBody(config, text), ...native };
    const toMessages = (events: object[]) => events.map((event) => JSON.stringify(withId(event)));
    const session = new LiveSession({
      speech: deps.speech,
      writer: new FrameWriter(this.#socket, {
        stallMs: deps.config.streamStallSeconds * 1000,
        dialect: { write: (frame) => toMessages(response.write(frame)) },
      }),
      admit: (signal) => admitLive(deps, request, { body, model: speechModel, signal }),
      hasTimings: false,
      bufferMaxChars: deps.config.liveBufferMaxChars,
      onSent: () => this.#watch(),
    });
    this.#active = { session, response };
    this.#tell(...response.begin());
    session.take({ event: 'stop' });
    session.run().then(
      () => this.#finish(response, () => response.complete()),
      (error: unknown) => this.#fail(response, error),
    );
  }

  #cancel(): void {
    const active = this.#active;
    if (!active) throw new RealtimeProblem('response_cancel_not_active', 'No response is running.');
    this.#finish(active.response, () => active.response.cancel());
    active.session.abort(new Error('The client cancelled the response.'));
  }

  #finish(response: RealtimeResponse, events: () => object[]): void {
    if (this.#active?.response !== response) return;
    this.#active = undefined;
    this.#tell(...events());
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

  #leave(): void {
    clearTimeout(this.#timer);
    this.#gone.abort(new Error('The client closed the connection.'));
    this.#active?.session.abort(this.#gone.signal.reason);
    this.#active = undefined;
  }

  /** Begins to wait again for something to happen. */
  #watch(): void {
    clearTimeout(this.#timer);
    const close = () => closeSocket(this.#socket, { code: CLOSE_CODES.normal, reason: 'idle' });
    this.#timer = setTimeout(close, this.#options.deps.config.liveSilenceSeconds * 1000).unref();
  }

  get #prefix(): string {
    return this.#isTranscription ? 'transcription_' : '';
  }

  get #session() {
    const { modelName: model } = this.#options;
    return toSessionBody(this.#config, { id: this.#id, model, isTranscription: this.#isTranscription });
  }

  #tellItem(item: object): void {
    const whole = { object: 'realtime.item', type: 'message', status: 'completed', ...item };
    for (const step of ['added', 'done']) {
      this.#tell({ type: `conversation.item.${step}`, item: whole, previous_item_id: null });
    }
  }

  #tell(...events: object[]): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    for (const event of events) this.#socket.send(JSON.stringify(withId(event)), () => {});
  }
}

function withId(event: object) {
  return { event_id: `event_${randomUUID()}`, ...event };
}

function textOf(items: readonly z.output<typeof Item>[]): string {
  const parts = items.flatMap(({ content }) => content ?? []);
  return parts.flatMap(({ text }) => text || []).join('\n');
}
