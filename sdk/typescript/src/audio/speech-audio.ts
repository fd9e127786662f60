import { toStream } from '../net/byte-stream.ts';
import { save } from './save.ts';

/** Model, engine and voice of the speech, from the response headers. */
export interface SpeechFacts {
  readonly contentType: string;
  readonly model: string | undefined;
  readonly engine: string | undefined;
  readonly voice: string | undefined;
  readonly requestId: string | undefined;
}

/**
 * A stream of audio, to iterate over or to collect. It can be read once. Leaving a loop early stops the server. A
 * connection that breaks before the end throws, so that truncated audio is never taken for complete audio.
 */
export class SpeechAudio implements AsyncIterable<Uint8Array> {
  readonly facts: SpeechFacts;
  readonly #source: AsyncGenerator<Uint8Array, void>;

  constructor(source: AsyncGenerator<Uint8Array, void>, facts: SpeechFacts) {
    this.#source = source;
    this.facts = facts;
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, void> {
    return this.#source;
  }

  /** The audio as a web stream. Cancelling it stops the server. */
  get body(): ReadableStream<Uint8Array> {
    return toStream(this.#source);
  }

  /** The complete audio. */
  async bytes(): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of this.#source) {
      chunks.push(chunk);
      length += chunk.length;
    }
    const whole = new Uint8Array(length);
    let at = 0;
    for (const chunk of chunks) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    return whole;
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return (await this.bytes()).buffer as ArrayBuffer;
  }

  async blob(): Promise<Blob> {
    return new Blob([await this.arrayBuffer()], { type: this.facts.contentType });
  }

  /** The complete audio as a Node buffer. */
  async toBuffer(): Promise<Buffer> {
    return Buffer.from(await this.arrayBuffer());
  }

  /** Writes the audio to a file as it arrives (not in browsers). A failure leaves no file. */
  toFile(path: string): Promise<void> {
    return save(this.#source, path);
  }
}

/** Reads the facts from response headers. */
export function factsOf(headers: Headers): SpeechFacts {
  const voice = headers.get('x-mynah-voice');
  return {
    contentType: headers.get('content-type') ?? 'application/octet-stream',
    model: headers.get('x-mynah-model') ?? undefined,
    engine: headers.get('x-mynah-engine') ?? undefined,
    voice: voice === null ? undefined : decodeURI(voice),
    requestId: headers.get('x-fish-trace-id') ?? undefined,
  };
}
