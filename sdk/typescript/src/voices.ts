import { toForm } from './audio-input.ts';
import type { Transport } from './transport.ts';
import type { CallOptions, NewVoice, Voice, VoiceChanges, VoiceQuery } from './types.ts';

/** One page of voices. */
export interface VoicePage {
  readonly total: number;
  readonly items: readonly Voice[];
}

const PAGE_SIZE = 100;

/** The voices of the server: built in, shared, and your own. */
export class Voices {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** All voices that match, page after page as the loop asks for them. */
  async *list(
    query: Omit<VoiceQuery, 'page_number'> = {},
    options?: CallOptions,
  ): AsyncGenerator<Voice, void> {
    const pageSize = query.page_size ?? PAGE_SIZE;
    for (let number = 1; ; number++) {
      const page = await this.page({ ...query, page_size: pageSize, page_number: number }, options);
      yield* page.items;
      if (page.items.length < pageSize || number * pageSize >= page.total) return;
    }
  }

  /** One page of the voices that match. */
  async page(query: VoiceQuery = {}, options?: CallOptions): Promise<VoicePage> {
    const answer = await this.#transport.send(
      { method: 'GET', path: '/model', query: { ...query } },
      options,
    );
    return answer.json<VoicePage>();
  }

  async get(id: string, options?: CallOptions): Promise<Voice> {
    const answer = await this.#transport.send(
      { method: 'GET', path: `/model/${encodeURIComponent(id)}` },
      options,
    );
    return answer.json<Voice>();
  }

  /** Makes a voice from recordings. */
  async create(voice: NewVoice, options?: CallOptions): Promise<Voice> {
    const { voices, cover_image, ...fields } = voice;
    const body = await toForm(
      { type: 'tts', train_mode: 'fast', visibility: 'private', ...fields },
      { voices, ...(cover_image && { cover_image: [cover_image] }) },
    );
    const answer = await this.#transport.send({ method: 'POST', path: '/model', body }, options);
    return answer.json<Voice>();
  }

  async update(id: string, changes: VoiceChanges, options?: CallOptions): Promise<void> {
    const { cover_image, ...fields } = changes;
    const body = await toForm(fields, cover_image ? { cover_image: [cover_image] } : {});
    const answer = await this.#transport.send(
      { method: 'PATCH', path: `/model/${encodeURIComponent(id)}`, body },
      options,
    );
    await answer.text();
  }

  async delete(id: string, options?: CallOptions): Promise<void> {
    const answer = await this.#transport.send(
      { method: 'DELETE', path: `/model/${encodeURIComponent(id)}` },
      options,
    );
    await answer.text();
  }
}
