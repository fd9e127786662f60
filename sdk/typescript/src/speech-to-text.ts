import { toForm } from './audio-input.ts';
import { ConnectionError, MynahError } from './errors.ts';
import { pack, unpack } from './msgpack.ts';
import { openSocket } from './socket.ts';
import type { Transport } from './transport.ts';
import type { CallOptions, LiveTranscriptionEvent, Transcription, TranscriptionRequest } from './types.ts';

/** How live sound is sent. */
export interface LiveTranscriptionRequest {
  readonly model?: string;
  readonly language?: string;
  /** `pcm` is 16-bit little-endian mono. */
  readonly format?: 'pcm' | 'opus';
  readonly sample_rate?: number;
  readonly prompt?: string;
}

/** Speech to text. */
export class SpeechToText {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Transcribes a recording. */
  async convert(request: TranscriptionRequest, options?: CallOptions): Promise<Transcription> {
    const { audio, model, ...fields } = request;
    const form = await toForm({ ignore_timestamps: false, ...fields }, { audio: [audio] });
    const answer = await this.#transport.send(
      { method: 'POST', path: '/v1/asr', headers: { model }, body: form },
      options,
    );
    return answer.json<Transcription>();
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
