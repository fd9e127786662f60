import { toForm } from './audio-input.ts';
import { ConnectionError, MynahError } from './errors.ts';
import { pack, unpack } from './msgpack.ts';
import { readEvents } from './server-sent-events.ts';
import { openSocket } from './socket.ts';
import type { Answer, Transport } from './transport.ts';
import type {
  CallOptions,
  LiveTranscriptionEvent,
  Transcription,
  TranscriptionEvent,
  TranscriptionJob,
  TranscriptionRequest,
} from './types.ts';

/** How live sound is sent. */
export interface LiveTranscriptionRequest {
  readonly model?: string;
  readonly language?: string;
  /** `pcm` (the default) is 16-bit little-endian; `opus` is one packet in each chunk. */
  readonly encoding?: 'pcm' | 'opus';
  /** 16000 unless told otherwise. */
  readonly sample_rate?: number;
  readonly channels?: 1 | 2;
  readonly prompt?: string;
  readonly vocabulary?: readonly string[];
  /** `false` leaves out the guesses at what is still being said. */
  readonly partials?: boolean;
}

/** Speech to text. */
export class SpeechToText {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Transcribes a recording. */
  async convert(request: TranscriptionRequest, options?: CallOptions): Promise<Transcription> {
    return (await this.#post(request, {}, options)).json<Transcription>();
  }

  /** Transcribes a recording into captions: the content of an `.srt` or `.vtt` file. */
  async captions(
    request: TranscriptionRequest & { readonly format: 'srt' | 'vtt' },
    options?: CallOptions,
  ): Promise<string> {
    return (await this.#post(request, {}, options)).text();
  }

  /**
   * Transcribes a recording and tells how it goes: how far it is, what was said, and last the whole. The way to
   * go for long recordings. Leaving the loop early stops the server.
   */
  async *follow(
    request: TranscriptionRequest,
    options?: CallOptions,
  ): AsyncGenerator<TranscriptionEvent, void> {
    const answer = await this.#post(request, { accept: 'text/event-stream' }, options);
    for await (const { event, data } of readEvents(answer.bytes())) {
      const told = JSON.parse(data) as object;
      if (event === 'finish') {
        yield { event, transcription: told as Transcription };
        return;
      }
      yield { event, ...told } as TranscriptionEvent;
    }
    throw new ConnectionError('The server ended the stream before it had finished.');
  }

  /** Has a recording transcribed in the background. Ask with `getJob` how it goes. */
  async submit(request: TranscriptionRequest, options?: CallOptions): Promise<TranscriptionJob> {
    return (await this.#post(request, {}, options, { async: true })).json<TranscriptionJob>();
  }

  getJob(id: string, options?: CallOptions): Promise<TranscriptionJob> {
    return this.#transport.json<TranscriptionJob>({ method: 'GET', path: jobPath(id) }, options);
  }

  /** Stops a job, and forgets it. */
  async cancelJob(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.json({ method: 'DELETE', path: jobPath(id) }, options);
  }

  async #post(
    { audio, model, ...fields }: TranscriptionRequest,
    headers: Readonly<Record<string, string>>,
    options: CallOptions | undefined,
    query: Readonly<Record<string, boolean>> = {},
  ): Promise<Answer> {
    const body = await toForm({ ignore_timestamps: false, ...fields }, { audio: [audio] });
    return this.#transport.send(
      { method: 'POST', path: '/v1/asr', query, headers: { model, ...headers }, body },
      options,
    );
  }

  /** Transcribes sound while it is being recorded. Leaving the loop early stops the server. */
  async *live(
    request: LiveTranscriptionRequest,
    audio: AsyncIterable<Uint8Array>,
    options: CallOptions = {},
  ): AsyncGenerator<LiveTranscriptionEvent, void> {
    const { model, ...fields } = request;
    const socket = await openSocket(this.#transport, '/v1/asr/live', { model, signal: options.signal });
    let failure: unknown;
    try {
      socket.send(pack({ event: 'start', request: fields }));
      const sending = (async () => {
        for await (const bytes of audio) socket.send(pack({ event: 'audio', audio: bytes }));
        socket.send(pack({ event: 'stop' }));
      })().catch((error: unknown) => {
        failure = error;
        socket.close();
      });
      for await (const message of socket.messages()) {
        const frame = unpack(message) as { event: string; reason?: string; message?: string };
        if (frame.event === 'partial' || frame.event === 'segment') {
          yield frame as unknown as LiveTranscriptionEvent;
        } else if (frame.event === 'finish') {
          if (frame.reason === 'error')
            throw new MynahError(frame.message ?? 'The server stopped with an error.');
          await sending;
          return;
        }
      }
      throw failure ?? new ConnectionError('The server closed the socket before it had finished.');
    } finally {
      socket.close();
    }
  }
}

function jobPath(id: string): string {
  return `/v1/asr/${encodeURIComponent(id)}`;
}
