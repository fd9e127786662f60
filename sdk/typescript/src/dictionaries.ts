import type { Transport } from './net/transport.ts';
import type { CallOptions } from './types/index.ts';

/** The pronunciation of a word: in Arpabet, pinyin, romaji or IPA, or as other words. */
export interface PronunciationRule {
  readonly key: string;
  readonly value: string;
  readonly case_sensitive?: boolean;
}

export interface Dictionary {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Null until a version is published. */
  readonly latest_version_id: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface DictionaryVersion {
  readonly id: string;
  readonly dictionary_id: string;
  readonly version_number: number;
  readonly rule_count: number;
  readonly created_at: string;
}

interface CursorPage<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
}

const ROOT = '/v1/pronunciation-dictionaries';

/** Pronunciation dictionaries of the account. */
export class Dictionaries {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** All dictionaries, newest first. Pages are requested as the loop proceeds. */
  list(options?: CallOptions): AsyncGenerator<Dictionary, void> {
    return this.#pages<Dictionary>(ROOT, options);
  }

  get(id: string, options?: CallOptions): Promise<Dictionary> {
    return this.#transport.json<Dictionary>({ method: 'GET', path: pathOf(id) }, options);
  }

  create(
    json: { readonly name: string; readonly description?: string },
    options?: CallOptions,
  ): Promise<Dictionary> {
    return this.#transport.json<Dictionary>({ method: 'POST', path: ROOT, json }, options);
  }

  update(
    id: string,
    json: { readonly name?: string; readonly description?: string },
    options?: CallOptions,
  ): Promise<Dictionary> {
    return this.#transport.json<Dictionary>({ method: 'PATCH', path: pathOf(id), json }, options);
  }

  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.json({ method: 'DELETE', path: pathOf(id) }, options);
  }

  /** Publishes the complete list of rules as the next version; with `expected_latest_version_id` only if that is the latest. */
  publish(
    id: string,
    json: {
      readonly rules: readonly PronunciationRule[];
      readonly expected_latest_version_id?: string | null;
    },
    options?: CallOptions,
  ): Promise<DictionaryVersion & { readonly rules: readonly PronunciationRule[] }> {
    return this.#transport.json({ method: 'POST', path: `${pathOf(id)}/versions`, json }, options);
  }

  /** All versions, newest first. */
  versions(id: string, options?: CallOptions): AsyncGenerator<DictionaryVersion, void> {
    return this.#pages<DictionaryVersion>(`${pathOf(id)}/versions`, options);
  }

  getVersion(
    id: string,
    versionId: string,
    options?: CallOptions,
  ): Promise<DictionaryVersion & { readonly rules: readonly PronunciationRule[] }> {
    return this.#transport.json({ method: 'GET', path: versionPath(id, versionId) }, options);
  }

  async deleteVersion(id: string, versionId: string, options?: CallOptions): Promise<void> {
    await this.#transport.json({ method: 'DELETE', path: versionPath(id, versionId) }, options);
  }

  async *#pages<Item>(path: string, options: CallOptions | undefined): AsyncGenerator<Item, void> {
    let cursor: string | undefined;
    do {
      const call = { method: 'GET', path, query: { page_size: 100, cursor } } as const;
      const page = await this.#transport.json<CursorPage<Item>>(call, options);
      yield* page.items;
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }
}

function pathOf(id: string): string {
  return `${ROOT}/${encodeURIComponent(id)}`;
}

function versionPath(id: string, versionId: string): string {
  return `${pathOf(id)}/versions/${encodeURIComponent(versionId)}`;
}
