import { toForm, toPackable } from './audio/audio-input.ts';
import { factsOf, SpeechAudio } from './audio/speech-audio.ts';
import { fromBase64 } from './encoding/base64.ts';
import { type Packable, pack } from './encoding/msgpack.ts';
import { runLiveSession } from './live-session.ts';
import { readEvents } from './net/server-sent-events.ts';
import type { Transport } from './net/transport.ts';
import type {
  CallOptions,
  DubRequest,
  Segment,
  SpeechConversion,
  SpeechOptions,
  SpeechRequest,
  TimedSpeech,
} from './types/index.ts';

/** Text that arrives over time, such as the tokens of a language model. `flush` synthesizes the text so far. */
export type TextStream =
  | AsyncIterable<string | { readonly flush: true }>
  | Iterable<string | { readonly flush: true }>;

/** Text to speech. */
export class TextToSpeech {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Synthesizes a text. Resolves at the first audio; a rejected request throws before that. */
  async convert(request: SpeechRequest, options?: CallOptions): Promise<SpeechAudio> {
    const { model, ...body } = request;
    const response = await this.#transport.send(
      {
        method: 'POST',
        path: '/v1/tts',
        headers: { model, 'content-type': 'application/msgpack' },
        body: pack(await toPackable(body)),
      },
      options,
    );
    return new SpeechAudio(response.bytes(), factsOf(response.headers));
  }

  /** Speaks the captions of an `.srt` or `.vtt` file at their times. */
  async dub({ model, ...json }: DubRequest, options?: CallOptions): Promise<SpeechAudio> {
    const call = { method: 'POST', path: '/v1/dub', headers: { model }, json } as const;
    const response = await this.#transport.send(call, options);
    return new SpeechAudio(response.bytes(), factsOf(response.headers));
  }

  /** Speaks a recording with another voice, with the timing and the melody of its words. */
  async convertSpeech(request: SpeechConversion, options?: CallOptions): Promise<SpeechAudio> {
    const { model, audio, ...fields } = request;
    const body = await toForm(fields, { audio: [audio] });
    const call = { method: 'POST', path: '/v1/speech-to-speech', headers: { model }, body } as const;
    const response = await this.#transport.send(call, options);
    return new SpeechAudio(response.bytes(), factsOf(response.headers));
  }

  /** Synthesizes a text with word times. */
  async *convertWithTimestamps(
    request: SpeechRequest,
    options?: CallOptions,
  ): AsyncGenerator<TimedSpeech, void> {
    const { model, ...body } = request;
    const response = await this.#transport.send(
      {
        method: 'POST',
        path: '/v1/tts/stream/with-timestamp',
        headers: { model, 'content-type': 'application/msgpack', accept: 'text/event-stream' },
        body: pack(await toPackable(body)),
      },
      options,
    );
    for await (const { data } of readEvents(response.bytes())) {
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

  /** Synthesizes text while it arrives. Leaving the loop early stops the server. */
  convertRealtime(request: SpeechOptions, text: TextStream, options: CallOptions = {}): SpeechAudio {
    const contentType = CONTENT_TYPES[request.format ?? 'mp3'];
    const facts = {
      contentType,
      model: request.model,
      engine: undefined,
      voice: undefined,
      requestId: undefined,
    };
    return new SpeechAudio(this.#synthesizeLive(request, text, options), facts);
  }

  async *#synthesizeLive(
    request: SpeechOptions,
    text: TextStream,
    options: CallOptions,
  ): AsyncGenerator<Uint8Array, void> {
    const { model, ...body } = request;
    const frames = runLiveSession(this.#transport, {
      path: '/v1/tts/live',
      model,
      request: await toPackable({ text: '', ...body }),
      events: toEvents(text),
      options,
    });
    for await (const frame of frames) {
      if (frame.event === 'audio' && frame.audio.length > 0) yield frame.audio;
    }
  }
}

async function* toEvents(text: TextStream): AsyncGenerator<Packable, void> {
  for await (const piece of text) {
    if (typeof piece !== 'string') yield { event: 'flush' };
    else if (piece !== '') yield { event: 'text', text: piece };
  }
}

const CONTENT_TYPES = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
  opus: 'audio/ogg',
  flac: 'audio/flac',
} as const;
