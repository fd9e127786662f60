import { toPackable } from './audio-input.ts';
import { ConnectionError, MynahError } from './errors.ts';
import { pack, unpack } from './msgpack.ts';
import { readEvents } from './server-sent-events.ts';
import { openSocket, type Socket } from './socket.ts';
import { factsOf, SpeechAudio } from './speech-audio.ts';
import type { Transport } from './transport.ts';
import type { CallOptions, Segment, SpeechOptions, SpeechRequest, TimedSpeech } from './types.ts';

/** Text that arrives over time, such as the tokens of a language model; `flush` speaks what is there. */
export type TextStream =
  | AsyncIterable<string | { readonly flush: true }>
  | Iterable<string | { readonly flush: true }>;

/** Sending waits while so much is still on its way. */
const SEND_AHEAD_BYTES = 256 * 1024;
const SEND_POLL_MS = 20;

/** Text to speech. */
export class TextToSpeech {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Speaks a text. Resolves when the first audio is there; every refusal is an error before that. */
  async convert(request: SpeechRequest, options?: CallOptions): Promise<SpeechAudio> {
    const { model, ...body } = request;
    const answer = await this.#transport.send(
      {
        method: 'POST',
        path: '/v1/tts',
        headers: { model, 'content-type': 'application/msgpack' },
        body: pack(await toPackable(body)),
      },
      options,
    );
    return new SpeechAudio(answer.bytes(), factsOf(answer.headers));
  }

  /** Speaks a text and tells when each word is heard. */
  async *convertWithTimestamps(
    request: SpeechRequest,
    options?: CallOptions,
  ): AsyncGenerator<TimedSpeech, void> {
    const { model, ...body } = request;
    const answer = await this.#transport.send(
      {
        method: 'POST',
        path: '/v1/tts/stream/with-timestamp',
        headers: { model, 'content-type': 'application/msgpack', accept: 'text/event-stream' },
        body: pack(await toPackable(body)),
      },
      options,
    );
    for await (const { data } of readEvents(answer.bytes())) {
      const event = JSON.parse(data) as {
        audio_base64: string;
        content: string;
        alignment: { segments: Segment[]; audio_duration: number } | null;
        chunk_seq: number;
        chunk_audio_offset_sec: number;
      };
      yield {
        audio: fromBase64(event.audio_base64),
        content: event.content,
        alignment: event.alignment,
        chunkSeq: event.chunk_seq,
        chunkAudioOffsetSeconds: event.chunk_audio_offset_sec,
      };
    }
  }

  /** Speaks text while it is still being written. Leaving the loop early stops the server. */
  convertRealtime(request: SpeechOptions, text: TextStream, options: CallOptions = {}): SpeechAudio {
    const contentType = CONTENT_TYPES[request.format ?? 'mp3'];
    const facts = {
      contentType,
      model: request.model,
      engine: undefined,
      voice: undefined,
      requestId: undefined,
    };
    return new SpeechAudio(this.#speakLive(request, text, options), facts);
  }

  async *#speakLive(
    request: SpeechOptions,
    text: TextStream,
    options: CallOptions,
  ): AsyncGenerator<Uint8Array, void> {
    const { model, ...body } = request;
    const start = pack({ event: 'start', request: await toPackable({ text: '', ...body }) });
    const socket = await openSocket(this.#transport, '/v1/tts/live', { model, signal: options.signal });
    let failure: unknown;
    try {
      socket.send(start);
      const sending = sendText(socket, text).catch((error: unknown) => {
        failure = error;
        socket.close();
      });
      for await (const message of socket.messages()) {
        const frame = unpack(message) as {
          event: string;
          audio?: Uint8Array;
          reason?: string;
          message?: string;
        };
        if (frame.event === 'audio' && frame.audio && frame.audio.length > 0) yield frame.audio;
        if (frame.event !== 'finish') continue;
        if (frame.reason === 'error')
          throw new MynahError(frame.message ?? 'The server stopped with an error.');
        await sending;
        return;
      }
      throw failure ?? new ConnectionError('The server closed the socket before it had finished.');
    } finally {
      socket.close();
    }
  }
}

async function sendText(socket: Socket, text: TextStream): Promise<void> {
  for await (const piece of text) {
    while (socket.bufferedBytes > SEND_AHEAD_BYTES)
      await new Promise((wake) => setTimeout(wake, SEND_POLL_MS));
    if (typeof piece !== 'string') socket.send(pack({ event: 'flush' }));
    else if (piece !== '') socket.send(pack({ event: 'text', text: piece }));
  }
  socket.send(pack({ event: 'stop' }));
}

const CONTENT_TYPES = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
  opus: 'audio/ogg',
  flac: 'audio/flac',
} as const;

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
