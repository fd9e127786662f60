import { once } from 'node:events';
import type { Socket } from 'node:net';
import { z } from 'zod';
import { ApiError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { RawAudioFormat, RequestedVoice, WyomingBackend } from './backend.ts';
import { EventDecoder, encodeEvent, type WyomingEvent } from './events.ts';
import { describeServices } from './info.ts';
import { InputQueue } from './input-queue.ts';

/** Text that waits for synthesis, and audio that waits for transcription, above which reading pauses. */
const TEXT_MAX_CHARS = 50_000;
const AUDIO_MAX_BYTES = 1024 * 1024;
/** Maximum length of one text, or of one chunk of a text. */
const TEXT_EVENT_MAX_CHARS = 100_000;
/** Time for a client to read the error that ends its connection. */
const CLOSE_MS = 2000;
const SAMPLE_BYTES = 2;

const VoiceSchema = z
  .object({ name: z.string().max(200).nullish(), language: z.string().max(50).nullish() })
  .nullish()
  .transform(
    (voice): RequestedVoice => ({ name: voice?.name ?? undefined, language: voice?.language ?? undefined }),
  );
const TextSchema = z.string().max(TEXT_EVENT_MAX_CHARS);
const SynthesizeSchema = z.object({ text: TextSchema, voice: VoiceSchema });
const SynthesizeStartSchema = z.object({ voice: VoiceSchema });
const ChunkSchema = z.object({ text: TextSchema });
const TranscribeSchema = z.object({ language: z.string().max(50).nullish() });
const AudioFormatSchema = z.object({
  rate: z.int().min(8000).max(96_000),
  width: z.literal(SAMPLE_BYTES, 'Audio has 16-bit samples'),
  channels: z.literal([1, 2]),
});

/** A request whose input still arrives. */
type Work =
  | { readonly kind: 'speech'; readonly text: InputQueue<string> }
  | {
      readonly kind: 'transcription';
      readonly audio: InputQueue<Uint8Array>;
      readonly format: RawAudioFormat;
    };

/** One connection of a client: serves one request at a time, in order. */
export class WyomingConnection {
  readonly #socket: Socket;
  readonly #backend: WyomingBackend;
  readonly #logger: Logger;
  readonly #decoder = new EventDecoder();
  readonly #abort = new AbortController();
  #work: Work | undefined;
  /** The language of the next recording. */
  #language: string | undefined;
  /** Requests that are answered after each other. */
  #answered: Promise<void> = Promise.resolve();
  #waitingCount = 0;

  constructor(
    socket: Socket,
    { backend, logger }: { readonly backend: WyomingBackend; readonly logger: Logger },
  ) {
    this.#socket = socket;
    this.#backend = backend;
    this.#logger = logger;
    socket.on('data', (bytes) => this.#receive(bytes as Buffer));
    socket.on('close', () => {
      this.#abort.abort(new Error('The client closed the connection.'));
      this.#endWork();
    });
  }

  #receive(bytes: Buffer): void {
    // A connection that failed reads on until the client closes it, so that the client receives the error.
    if (this.#abort.signal.aborted) return;
    try {
      for (const event of this.#decoder.push(bytes)) this.#process(event);
    } catch (error) {
      this.#fail(error);
    }
  }

  #process(event: WyomingEvent): void {
    const { type, data, payload } = event;
    switch (type) {
      case 'describe':
        this.#answer(async () =>
          this.#send('info', await describeServices(this.#backend, this.#abort.signal)),
        );
        return;
      case 'ping':
        this.#answer(async () => this.#send('pong', data));
        return;
      case 'synthesize':
        this.#synthesize(data);
        return;
      case 'synthesize-start':
        this.#startSpeech(data);
        return;
      case 'synthesize-chunk':
        this.#addText(data);
        return;
      case 'synthesize-stop':
        this.#stop('speech', type);
        return;
      case 'transcribe':
        this.#language = parse(TranscribeSchema, data).language ?? undefined;
        return;
      case 'audio-start':
        this.#startAudio(data);
        return;
      case 'audio-chunk':
        this.#addAudio(data, payload);
        return;
      case 'audio-stop':
        this.#stop('transcription', type);
        return;
      default: // Servers drop events that they do not know.
    }
  }

  #synthesize(data: WyomingEvent['data']): void {
    // Clients that stream a text also send it as a whole, for servers that do not support streaming.
    if (this.#work?.kind === 'speech') return;
    const { text, voice } = parse(SynthesizeSchema, data);
    const queue = this.#textQueue();
    queue.push(text);
    queue.end();
    this.#answer(() => this.#speak(queue, voice));
  }

  #startSpeech(data: WyomingEvent['data']): void {
    const { voice } = parse(SynthesizeStartSchema, data);
    this.#requireIdle();
    const text = this.#textQueue();
    this.#work = { kind: 'speech', text };
    this.#answer(async () => {
      await this.#speak(text, voice);
      await this.#send('synthesize-stopped');
    });
  }

  #addText(data: WyomingEvent['data']): void {
    if (this.#work?.kind !== 'speech') throw createOutOfOrderError('synthesize-chunk');
    this.#push(this.#work.text, parse(ChunkSchema, data).text);
  }

  #addAudio(data: WyomingEvent['data'], payload: Buffer): void {
    if (this.#work?.kind !== 'transcription') throw createOutOfOrderError('audio-chunk');
    const { rate, channels } = parse(AudioFormatSchema, data);
    const { format, audio } = this.#work;
    if (rate !== format.sampleRateHz || channels !== format.channels) {
      throw new ApiError('invalid_audio', 'The format of the audio changed.');
    }
    this.#push(audio, payload);
  }

  #stop(kind: Work['kind'], type: string): void {
    if (this.#work?.kind !== kind) throw createOutOfOrderError(type);
    this.#endWork();
  }

  #startAudio(data: WyomingEvent['data']): void {
    this.#requireIdle();
    const { rate, channels } = parse(AudioFormatSchema, data);
    const format = { sampleRateHz: rate, channels };
    const audio = new InputQueue<Uint8Array>(AUDIO_MAX_BYTES, () => this.#socket.resume());
    this.#work = { kind: 'transcription', audio, format };
    const language = this.#language;
    this.#language = undefined;
    this.#answer(async () => {
      const options = { ...format, language };
      const text = await this.#backend.transcribe(audio, options, this.#abort.signal);
      await this.#send('transcript', { text, ...(language !== undefined && { language }) });
    });
  }

  #textQueue(): InputQueue<string> {
    return new InputQueue<string>(TEXT_MAX_CHARS, () => this.#socket.resume());
  }

  #push<Item extends { readonly length: number }>(queue: InputQueue<Item>, item: Item): void {
    queue.push(item);
    if (queue.isFull) this.#socket.pause();
  }

  async #speak(text: AsyncIterable<string>, voice: RequestedVoice): Promise<void> {
    const format = { rate: this.#backend.sampleRateHz, width: SAMPLE_BYTES, channels: 1 };
    await this.#send('audio-start', { ...format, timestamp: 0 });
    let sentBytes = 0;
    for await (const audio of this.#backend.speak(text, voice, this.#abort.signal)) {
      const timestamp = Math.round((1000 * sentBytes) / (SAMPLE_BYTES * format.rate));
      await this.#send('audio-chunk', { ...format, timestamp }, audio);
      sentBytes += audio.length;
    }
    await this.#send('audio-stop', {
      timestamp: Math.round((1000 * sentBytes) / (SAMPLE_BYTES * format.rate)),
    });
  }

  #requireIdle(): void {
    if (this.#work !== undefined) throw new ApiError('live_protocol', 'The previous request has not ended.');
  }

  #endWork(): void {
    const work = this.#work;
    this.#work = undefined;
    if (work?.kind === 'speech') work.text.end();
    if (work?.kind === 'transcription') work.audio.end();
  }

  /** Answers a request after the previous ones. A failure is sent as an event, and ends the connection. */
  #answer(work: () => Promise<void>): void {
    if (++this.#waitingCount > WAITING_MAX)
      throw new ApiError('queue_full', 'Too many requests are waiting.');
    this.#answered = this.#answered.then(work).then(
      () => {
        this.#waitingCount--;
      },
      (error: unknown) => this.#fail(error),
    );
  }

  async #send(type: string, data: object = {}, payload?: Uint8Array): Promise<void> {
    this.#abort.signal.throwIfAborted();
    if (this.#socket.write(encodeEvent(type, data, payload))) return;
    await once(this.#socket, 'drain', { signal: this.#abort.signal });
  }

  #fail(error: unknown): void {
    if (this.#abort.signal.aborted) return;
    const { code, message } = toClientError(error);
    this.#logger.warn({ code }, 'Wyoming request failed');
    this.#socket.end(encodeEvent('error', { text: message, code }));
    this.#socket.resume();
    setTimeout(() => this.#socket.destroy(), CLOSE_MS).unref();
    this.#abort.abort(error);
    this.#endWork();
  }
}

/** Requests of a connection that wait for their answer. */
const WAITING_MAX = 16;

function parse<Schema extends z.ZodType>(schema: Schema, data: unknown): z.output<Schema> {
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new ApiError(
    'invalid_request',
    `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid data'}`,
  );
}

function createOutOfOrderError(type: string): ApiError {
  return new ApiError('live_protocol', `\`${type}\` was sent without a start event.`);
}

/** Errors of the server, which have a code, are passed on; others are not described. */
function toClientError(error: unknown): { readonly code: string; readonly message: string } {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if (typeof code === 'string' && typeof message === 'string') return { code, message };
  return { code: 'internal', message: 'Something went wrong.' };
}
