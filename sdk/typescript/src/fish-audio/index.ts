import { toForm, toPackable } from '../audio/audio-input.ts';
import { pack } from '../encoding/msgpack.ts';
import { toStream } from '../net/byte-stream.ts';
import { openSocket } from '../net/socket.ts';
import type { Call, ServerResponse } from '../net/transport.ts';
import type {
  Credit,
  NewVoice,
  Package,
  SpeechRequest,
  Transcription,
  TranscriptionRequest,
  Voice,
  VoiceChanges,
  VoiceQuery,
} from '../types/index.ts';
import {
  HttpResponsePromise,
  type Options,
  openTransport,
  type RequestOptions,
  toCallOptions,
} from './options.ts';
import { RealtimeConnection } from './realtime.ts';

/**
 * The API of npm `fish-audio`, so that a program written for it changes one import:
 * `import { FishAudioClient } from 'mynah/fish-audio'`.
 */

export { play } from '../audio/play.ts';
export type {
  Credit as APICreditResponse,
  NewVoice as ModelCreateRequest,
  Package as PackageResponse,
  ReferenceAudio,
  SpeechRequest as TTSRequest,
  Transcription as STTResponse,
  TranscriptionRequest as STTRequest,
  Voice as ModelEntity,
  VoiceChanges as UpdateModelRequest,
  VoiceQuery as ModelListRequest,
} from '../types/index.ts';
export type { VoicePage as ModelListResponse } from '../voices.ts';
export {
  BadRequestError,
  FishAudioError,
  FishAudioTimeoutError,
  ForbiddenError,
  NotFoundError,
  type RawResponse,
  TooEarlyError,
  UnauthorizedError,
  UnprocessableEntityError,
} from './errors.ts';
export { HttpResponsePromise, type Options, type RequestOptions, type Supplier } from './options.ts';
export {
  CloseEvent,
  FlushEvent,
  RealtimeConnection,
  RealtimeEvents,
  type RealtimeMessage,
  StartEvent,
  TextEvent,
} from './realtime.ts';

/** The client of npm `fish-audio`, for a Mynah server. */
export class FishAudioClient {
  readonly textToSpeech: FishTextToSpeech;
  readonly speechToText: FishSpeechToText;
  readonly voices: FishVoices;
  readonly user: FishUser;

  constructor(options: Options = {}) {
    const caller = new Caller(options);
    this.textToSpeech = new FishTextToSpeech(caller);
    this.speechToText = new FishSpeechToText(caller);
    this.voices = new FishVoices(caller);
    this.user = new FishUser(caller);
  }
}

/** Sends the requests of all resources. */
class Caller {
  readonly options: Options;

  constructor(options: Options) {
    this.options = options;
  }

  json<T>(makeCall: () => Call | Promise<Call>, options?: RequestOptions): HttpResponsePromise<T> {
    return this.#call(makeCall, options, (response) => response.json<T>());
  }

  audio(
    makeCall: () => Call | Promise<Call>,
    options?: RequestOptions,
  ): HttpResponsePromise<ReadableStream<Uint8Array>> {
    return this.#call(makeCall, options, async (response) => toStream(response.bytes()));
  }

  #call<T>(
    makeCall: () => Call | Promise<Call>,
    options: RequestOptions | undefined,
    read: (response: ServerResponse) => Promise<T>,
  ): HttpResponsePromise<T> {
    return HttpResponsePromise.from(async () => {
      const transport = await openTransport(this.options, options);
      const call = await makeCall();
      const query = { ...call.query, ...options?.queryParams } as NonNullable<Call['query']>;
      const response = await transport.send({ ...call, query }, toCallOptions(options));
      const rawResponse = { headers: response.headers, status: response.status };
      return { data: await read(response), rawResponse };
    });
  }
}

class FishTextToSpeech {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  convert(request: SpeechRequest, backend = 's1', options?: RequestOptions) {
    return this.#caller.audio(
      async () => ({
        method: 'POST',
        path: '/v1/tts',
        headers: { model: backend, 'content-type': 'application/msgpack' },
        body: pack(await toPackable({ ...request })),
      }),
      options,
    );
  }

  /** Resolves immediately; the connection reports by events. */
  async convertRealtime(
    request: SpeechRequest,
    textStream: AsyncIterable<string>,
    backend = 's1',
  ): Promise<RealtimeConnection> {
    const transport = await openTransport(this.#caller.options);
    const connection = new RealtimeConnection();
    const opening = openSocket(transport, '/v1/tts/live', { model: backend });
    // The caller attaches listeners after this returns, so the first event comes later.
    setTimeout(() => void connection.run(opening, request, textStream), 0);
    opening.catch(() => {});
    return connection;
  }
}

/** Text to speech without the other resources. */
export class TextToSpeechWebSocket extends FishTextToSpeech {
  constructor(options: Options = {}) {
    super(new Caller(options));
  }
}

class FishSpeechToText {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  convert(request: TranscriptionRequest, options?: RequestOptions): HttpResponsePromise<Transcription> {
    const { audio, ...fields } = request;
    return this.#caller.json(
      async () => ({ method: 'POST', path: '/v1/asr', body: await toForm(fields, { audio: [audio] }) }),
      options,
    );
  }
}

class FishVoices {
  readonly ivc: { create(request: NewVoice, options?: RequestOptions): HttpResponsePromise<Voice> };
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
    this.ivc = { create: (request, options) => this.#create(request, options) };
  }

  search(query: VoiceQuery = {}, options?: RequestOptions) {
    return this.#caller.json<{ total: number; items: Voice[] }>(
      () => ({ method: 'GET', path: '/model', query: { ...query } }),
      options,
    );
  }

  get(voiceId: string, options?: RequestOptions) {
    return this.#caller.json<Voice>(() => ({ method: 'GET', path: pathOf(voiceId) }), options);
  }

  update(voiceId: string, changes: VoiceChanges, options?: RequestOptions) {
    const { cover_image, ...fields } = changes;
    return this.#caller.json<{ status: string } | undefined>(
      async () => ({
        method: 'PATCH',
        path: pathOf(voiceId),
        body: await toForm(fields, cover_image ? { cover_image: [cover_image] } : {}),
      }),
      options,
    );
  }

  delete(voiceId: string, options?: RequestOptions) {
    return this.#caller.json<{ status: string } | undefined>(
      () => ({ method: 'DELETE', path: pathOf(voiceId) }),
      options,
    );
  }

  #create(request: NewVoice, options: RequestOptions | undefined): HttpResponsePromise<Voice> {
    const { voices, cover_image, ...fields } = request;
    return this.#caller.json<Voice>(
      async () => ({
        method: 'POST',
        path: '/model',
        body: await toForm(
          { type: 'tts', train_mode: 'fast', ...fields },
          { voices, ...(cover_image && { cover_image: [cover_image] }) },
        ),
      }),
      options,
    );
  }
}

class FishUser {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  get_api_credit(options?: RequestOptions) {
    return this.#caller.json<Credit>(() => ({ method: 'GET', path: '/wallet/self/api-credit' }), options);
  }

  get_package(options?: RequestOptions) {
    return this.#caller.json<Package>(() => ({ method: 'GET', path: '/wallet/self/package' }), options);
  }
}

function pathOf(voiceId: string): string {
  return `/model/${encodeURIComponent(voiceId)}`;
}
