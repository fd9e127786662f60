import { randomBytes } from 'node:crypto';
import { ApiError } from '../../errors.ts';
import type { DictionaryItem } from '../../text/dictionary-matcher.ts';
import type { DictionaryStore, Page, StoredDictionary, StoredVersion } from './dictionary-store.ts';
import { assertValidItems, ITEMS_MAX } from './validate-items.ts';

export interface DictionaryLimits {
  /** Maximum number of dictionaries of an account. */
  readonly dictionariesMax: number;
  /** Maximum number of versions of a dictionary, archived ones excluded. */
  readonly dictionaryVersionsMax: number;
  /** Maximum number of dictionaries and versions of an account in total, archived ones included. */
  readonly dictionaryStoredMax: number;
}

/** A version with its items. */
export interface DictionaryVersion extends StoredVersion {
  readonly items: readonly DictionaryItem[];
}

/** Pronunciation dictionaries. Each method is restricted to the dictionaries of one account. */
export class Dictionaries {
  readonly #store: DictionaryStore;
  readonly #limits: DictionaryLimits;
  readonly #now: () => number;

  constructor(parts: {
    readonly store: DictionaryStore;
    readonly limits: DictionaryLimits;
    readonly now?: () => number;
  }) {
    this.#store = parts.store;
    this.#limits = parts.limits;
    this.#now = parts.now ?? Date.now;
  }

  /** `id` is given when the creation may be repeated; otherwise it is random. */
  async create(
    accountId: string,
    { id = newId(), ...given }: { id?: string | undefined; name: string; description: string },
  ): Promise<StoredDictionary> {
    const earlier = await this.#store.findDictionary(accountId, id);
    if (earlier !== undefined) return earlier;
    if ((await this.#store.countDictionaries(accountId)) >= this.#limits.dictionariesMax) {
      const max = this.#limits.dictionariesMax;
      throw new ApiError('dictionary_limit', `An account may have at most ${max} dictionaries.`);
    }
    await this.#requireRoom(accountId);
    const now = this.#now();
    const dictionary: StoredDictionary = {
      id,
      accountId,
      ...given,
      latestVersionId: undefined,
      createdAtMs: now,
      updatedAtMs: now,
    };
    await this.#store.addDictionary(dictionary);
    return dictionary;
  }

  /** A page of the account's dictionaries, newest first, and their total number. */
  async list(
    accountId: string,
    page: Page,
  ): Promise<{ total: number; dictionaries: readonly StoredDictionary[] }> {
    const [total, dictionaries] = await Promise.all([
      this.#store.countDictionaries(accountId),
      this.#store.listDictionaries(accountId, page),
    ]);
    return { total, dictionaries };
  }

  async get(accountId: string, id: string): Promise<StoredDictionary> {
    return (await this.#store.findDictionary(accountId, id)) ?? throwDictionaryNotFound();
  }

  async rename(
    accountId: string,
    id: string,
    change: { readonly name?: string; readonly description?: string },
  ): Promise<StoredDictionary> {
    const updatedAtMs = this.#now();
    return (
      (await this.#store.renameDictionary(accountId, id, { ...change, updatedAtMs })) ??
      throwDictionaryNotFound()
    );
  }

  /** Hides the dictionary. Idempotent. */
  async archive(accountId: string, id: string): Promise<void> {
    if (!(await this.#store.archiveDictionary(accountId, id, this.#now()))) throwDictionaryNotFound();
  }

  /**
   * Publishes a new version with all items. Throws `dictionary_conflict` if `expectedLatestId` is not the latest version,
   * and `dictionary_limit` for too many items.
   * `id` is given when the request may be repeated; otherwise it is random.
   */
  async publish(
    accountId: string,
    dictionaryId: string,
    given: {
      readonly id?: string | undefined;
      readonly items: readonly DictionaryItem[];
      readonly expectedLatestId: string | undefined;
    },
  ): Promise<DictionaryVersion> {
    const { id = newId(), items, expectedLatestId } = given;
    if (items.length > ITEMS_MAX) {
      throw new ApiError('dictionary_limit', `A dictionary may have at most ${ITEMS_MAX} items.`);
    }
    assertValidItems(items);
    const dictionary = await this.get(accountId, dictionaryId);
    const earlier = await this.#store.findVersion(dictionaryId, id);
    if (earlier !== undefined) return { ...earlier, items };
    if (dictionary.latestVersionId !== expectedLatestId) throw createConflictError();
    const max = this.#limits.dictionaryVersionsMax;
    if ((await this.#store.countVersions(dictionaryId)) >= max) {
      const message = `A dictionary may have at most ${max} versions. Archive old ones.`;
      throw new ApiError('dictionary_limit', message);
    }
    await this.#requireRoom(accountId);
    const latest = expectedLatestId && (await this.#store.findVersion(dictionaryId, expectedLatestId));
    const version: StoredVersion = {
      id,
      dictionaryId,
      number: (latest ? latest.number : 0) + 1,
      itemCount: items.length,
      createdAtMs: this.#now(),
    };
    if (!(await this.#store.publishVersion(version, items, expectedLatestId))) throw createConflictError();
    return { ...version, items };
  }

  /** A page of a dictionary's versions, newest first, and their total number. */
  async listVersions(
    accountId: string,
    dictionaryId: string,
    page: Page,
  ): Promise<{ total: number; versions: readonly StoredVersion[] }> {
    await this.get(accountId, dictionaryId);
    const [total, versions] = await Promise.all([
      this.#store.countVersions(dictionaryId),
      this.#store.listVersions(dictionaryId, page),
    ]);
    return { total, versions };
  }

  async getVersion(accountId: string, dictionaryId: string, id: string): Promise<DictionaryVersion> {
    await this.get(accountId, dictionaryId);
    const version = (await this.#store.findVersion(dictionaryId, id)) ?? throwVersionNotFound();
    return { ...version, items: await this.#store.versionItems(id) };
  }

  /** Hides the version. Throws `dictionary_conflict` for the latest version and for one that is archived or unknown. */
  async archiveVersion(accountId: string, dictionaryId: string, id: string): Promise<void> {
    const dictionary = await this.get(accountId, dictionaryId);
    if (dictionary.latestVersionId === id) {
      throw new ApiError('dictionary_conflict', 'The latest version of a dictionary cannot be archived.');
    }
    if (await this.#store.archiveVersion(dictionaryId, id, this.#now())) return;
    throw new ApiError('dictionary_conflict', 'The version is already archived or does not exist.');
  }

  async #requireRoom(accountId: string): Promise<void> {
    const max = this.#limits.dictionaryStoredMax;
    if ((await this.#store.countStored(accountId)) < max) return;
    const message = `An account may store at most ${max} dictionaries and versions, archived ones included.`;
    throw new ApiError('dictionary_limit', message);
  }

  /** Whether the account has this version and it is not archived. */
  async hasVersion(accountId: string, dictionaryId: string, id: string): Promise<boolean> {
    const dictionary = await this.#store.findDictionary(accountId, dictionaryId);
    return dictionary !== undefined && (await this.#store.findVersion(dictionaryId, id)) !== undefined;
  }

  /** The items of a version. The caller must have checked `hasVersion`. */
  versionItems(id: string): Promise<readonly DictionaryItem[]> {
    return this.#store.versionItems(id);
  }
}

function newId(): string {
  return randomBytes(16).toString('hex');
}

function throwDictionaryNotFound(): never {
  throw new ApiError('dictionary_not_found', 'Pronunciation dictionary not found');
}

function throwVersionNotFound(): never {
  throw new ApiError('dictionary_not_found', 'Pronunciation dictionary version not found');
}

function createConflictError(): ApiError {
  return new ApiError(
    'dictionary_conflict',
    'Another version has been published in the meantime. Fetch the latest version and publish again.',
  );
}
