import { toForm } from './audio/audio-input.ts';
import { factsOf, SpeechAudio } from './audio/speech-audio.ts';
import { fromBase64 } from './encoding/base64.ts';
import type { Transport } from './net/transport.ts';
import type {
  CallOptions,
  DesignCandidate,
  NewVoice,
  Voice,
  VoiceChanges,
  VoiceDesign,
  VoiceDesignRequest,
  VoiceQuery,
} from './types/index.ts';

/** One page of voices. */
export interface VoicePage {
  readonly total: number;
  readonly items: readonly Voice[];
}

const PAGE_SIZE = 100;

interface WireDesign extends Omit<VoiceDesign, 'candidates'> {
  readonly candidates: readonly (Omit<DesignCandidate, 'audio'> & { readonly audio_base64: string })[];
}

/** Built-in, shared and own voices. */
export class Voices {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** All matching voices. Pages are requested as the loop proceeds. */
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

  /** One page of the matching voices. */
  page(query: VoiceQuery = {}, options?: CallOptions): Promise<VoicePage> {
    return this.#transport.json<VoicePage>({ method: 'GET', path: '/model', query: { ...query } }, options);
  }

  get(id: string, options?: CallOptions): Promise<Voice> {
    return this.#transport.json<Voice>({ method: 'GET', path: pathOf(id) }, options);
  }

  /** Returns a recording of the voice: `index` refers to its `samples`. */
  sample(id: string, index: number, options?: CallOptions): Promise<SpeechAudio> {
    return this.#file(`${pathOf(id)}/samples/${index}`, options);
  }

  /** Returns the cover image of the voice. */
  async cover(id: string, options?: CallOptions): Promise<Blob> {
    return (await this.#file(`${pathOf(id)}/cover`, options)).blob();
  }

  /** Clones a voice from recordings. */
  async create(voice: NewVoice, options?: CallOptions): Promise<Voice> {
    const { voices, cover_image, ...fields } = voice;
    const body = await toForm(
      { type: 'tts', train_mode: 'fast', visibility: 'private', ...fields },
      { voices, ...(cover_image && { cover_image: [cover_image] }) },
    );
    return this.#transport.json<Voice>({ method: 'POST', path: '/model', body }, options);
  }

  /** Designs voices from a description. Nothing is stored: `create` stores a candidate by its audio and signature. */
  async design(json: VoiceDesignRequest, options?: CallOptions): Promise<VoiceDesign> {
    const path = '/v1/voice-design';
    const headers = { model: 'voice-design-1' };
    const design = await this.#transport.json<WireDesign>({ method: 'POST', path, headers, json }, options);
    const candidates = design.candidates.map(({ audio_base64, ...candidate }) => ({
      ...candidate,
      audio: fromBase64(audio_base64),
    }));
    return { ...design, candidates };
  }

  async update(id: string, changes: VoiceChanges, options?: CallOptions): Promise<void> {
    const { cover_image, ...fields } = changes;
    const body = await toForm(fields, cover_image ? { cover_image: [cover_image] } : {});
    await this.#transport.json({ method: 'PATCH', path: pathOf(id), body }, options);
  }

  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.json({ method: 'DELETE', path: pathOf(id) }, options);
  }

  async #file(path: string, options: CallOptions | undefined): Promise<SpeechAudio> {
    const response = await this.#transport.send({ method: 'GET', path }, options);
    return new SpeechAudio(response.bytes(), factsOf(response.headers));
  }
}

function pathOf(id: string): string {
  return `/model/${encodeURIComponent(id)}`;
}
