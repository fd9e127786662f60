import { toForm } from './audio/audio-input.ts';
import type { Packable } from './encoding/msgpack.ts';
import { ConnectionError } from './errors.ts';
import { runLiveSession } from './live-session.ts';
import { readEvents } from './net/server-sent-events.ts';
import type { ServerResponse, Transport } from './net/transport.ts';
import type {
  CallOptions,
  LiveTranscriptionEvent,
  Transcription,
  TranscriptionEvent,
  TranscriptionJob,
  TranscriptionRequest,
} from './types/index.ts';

/** The format of live audio, and options of its transcription. */
export interface LiveTranscriptionRequest {
  readonly model?: string;
  readonly language?: string;
  /** `pcm` (the default) is 16-bit little-endian; `opus` is one packet in each chunk. */
  readonly encoding?: 'pcm' | 'opus';
  /** In Hz. Default: 16000. */
  readonly sample_rate?: number;
  readonly channels?: 1 | 2;
  readonly prompt?: string;
  readonly vocabulary?: readonly string[];
  /** `false` omits partial results. */
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
    request: Omit<TranscriptionRequest, 'format'> & { readonly format: 'srt' | 'vtt' },
    options?: CallOptions,
  ): Promise<string> {
    return (await this.#post(request, {}, options)).text();
  }

  /**
   * Transcribes a recording and yields its progress, its segments, and finally the complete transcription. Suited to
   * long recordings. Leaving the loop early stops the server.
   */
  async *follow(
    request: TranscriptionRequest,
    options?: CallOptions,
  ): AsyncGenerator<TranscriptionEvent, void> {
    const response = await this.#post(request, { accept: 'text/event-stream' }, options);
    for await (const { event, data } of readEvents(response.bytes())) {
      const body = JSON.parse(data) as object;
      if (event === 'finish') {
        yield { event, transcription: body as Transcription };
        return;
      }
      yield { event, ...body } as TranscriptionEvent;
    }
    throw new ConnectionError('The server ended the stream before the transcription was complete.');
  }

  /** Submits a recording for transcription in the background. `getJob` returns its state. */
  async submit(request: TranscriptionRequest, options?: CallOptions): Promise<TranscriptionJob> {
    return (await this.#post(request, {}, options, { async: true })).json<TranscriptionJob>();
  }

  getJob(id: string, options?: CallOptions): Promise<TranscriptionJob> {
    return this.#transport.json<TranscriptionJob>({ method: 'GET', path: jobPath(id) }, options);
  }

  /** Stops and deletes a job. */
  async cancelJob(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.json({ method: 'DELETE', path: jobPath(id) }, options);
  }

  async #post(
    { audio, model, ...fields }: Omit<TranscriptionRequest, 'format'> & { readonly format?: string },
    headers: Readonly<Record<string, string>>,
    options: CallOptions | undefined,
    query: Readonly<Record<string, boolean>> = {},
  ): Promise<ServerResponse> {
    const body = await toForm({ ignore_timestamps: false, ...fields }, { audio: [audio] });
    return this.#transport.send(
      { method: 'POST', path: '/v1/asr', query, headers: { model, ...headers }, body },
      options,
    );
  }

  /** Transcribes audio while it arrives. Leaving the loop early stops the server. */
  async *live(
    request: LiveTranscriptionRequest,
    audio: AsyncIterable<Uint8Array>,
    options: CallOptions = {},
  ): AsyncGenerator<LiveTranscriptionEvent, void> {
    const { model, ...fields } = request;
    const frames = runLiveSession(this.#transport, {
      path: '/v1/asr/live',
      model,
      request: fields,
      events: toEvents(audio),
      options,
    });
    for await (const frame of frames) {
      if (frame.event === 'partial' || frame.event === 'segment') yield frame;
    }
  }
}

async function* toEvents(audio: AsyncIterable<Uint8Array>): AsyncGenerator<Packable, void> {
  for await (const bytes of audio) yield { event: 'audio', audio: bytes };
}

function jobPath(id: string): string {
  return `/v1/asr/${encodeURIComponent(id)}`;
}
