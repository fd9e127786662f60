import { toBlob } from './audio/audio-input.ts';
import type { Transport } from './net/transport.ts';
import type { Audiobook, AudiobookRequest, CallOptions } from './types/index.ts';

/** Books that the server speaks in the background. */
export class Audiobooks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Submits a book. `get` returns its state. */
  async create(request: AudiobookRequest, options?: CallOptions): Promise<Audiobook> {
    const { model, file, file_name, ...fields } = request;
    const call = { method: 'POST', path: '/v1/tts/jobs', headers: { model } } as const;
    if (file === undefined) return this.#transport.json<Audiobook>({ ...call, json: fields }, options);
    const body = new FormData();
    body.append('options', JSON.stringify(fields));
    body.append('file', await toBlob(file), file_name ?? nameOf(file) ?? 'book');
    return this.#transport.json<Audiobook>({ ...call, body }, options);
  }

  /** The newest books of the account, without the times of their chapters. */
  async list(options?: CallOptions): Promise<readonly Audiobook[]> {
    const call = { method: 'GET', path: '/v1/tts/jobs' } as const;
    return (await this.#transport.json<{ items: Audiobook[] }>(call, options)).items;
  }

  get(id: string, options?: CallOptions): Promise<Audiobook> {
    return this.#transport.json<Audiobook>({ method: 'GET', path: pathOf(id) }, options);
  }

  pause(id: string, options?: CallOptions): Promise<Audiobook> {
    return this.#transport.json<Audiobook>({ method: 'POST', path: `${pathOf(id)}/pause` }, options);
  }

  /** Continues a paused or failed book. What is spoken is neither repeated nor charged again. */
  resume(id: string, options?: CallOptions): Promise<Audiobook> {
    return this.#transport.json<Audiobook>({ method: 'POST', path: `${pathOf(id)}/resume` }, options);
  }

  /** Stops and deletes a book with its audio. */
  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.json({ method: 'DELETE', path: pathOf(id) }, options);
  }

  /** The audio file of a finished book, streamed. */
  async audio(id: string, options?: CallOptions): Promise<AsyncGenerator<Uint8Array, void>> {
    return (await this.#transport.send({ method: 'GET', path: `${pathOf(id)}/audio` }, options)).bytes();
  }

  /** The captions of a finished book: the content of an `.srt` or `.vtt` file. */
  async captions(id: string, format: 'srt' | 'vtt' = 'vtt', options?: CallOptions): Promise<string> {
    const call = { method: 'GET', path: `${pathOf(id)}/captions`, query: { format } } as const;
    return (await this.#transport.send(call, options)).text();
  }
}

function pathOf(id: string): string {
  return `/v1/tts/jobs/${encodeURIComponent(id)}`;
}

function nameOf(file: object): string | undefined {
  return 'name' in file && typeof file.name === 'string' ? file.name : undefined;
}
