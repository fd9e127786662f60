import { randomBytes } from 'node:crypto';
import { ApiError } from '../../errors.ts';
import type { DictionaryItem } from '../../text/dictionary-matcher.ts';
import { assertValidItems } from './validate-items.ts';
import type { DictionaryStore, Page, StoredDictionary, StoredVersion } from './dictionary-store.ts';

export interface DictionaryLimits {
  /** Dictionaries of one account. */
  readonly dictionariesMax: number;
  /** Versions of one dictionary that are not archived. */
  readonly dictionaryVersionsMax: number;
}

/** A version together with what it holds. */
export interface Version extends StoredVersion {
  readonly items: readonly DictionaryItem[];
}

/** The pronunciation dictionaries of all accounts. Every method sees those of one account only. */
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

  async create(accountId: string, given: { name: string; description: string }): Promise<StoredDictionary> {
    if ((await this.#store.countDictionaries(accountId)) >= this.#limits.dictionariesMax) {
      const most = this.#limits.dictionariesMax;
      throw new ApiError('dictionary_limit', `An account may have at most ${most} dictionaries.`);
    }
    const now = this.#now();
    const dictionary: StoredDictionary = {
      id: newId(),
      accountId,
      ...given,
      latestVersionId: undefined,
      createdAtMs: now,
      updatedAtMs: now,
    };
    await this.#store.addDictionary(dictionary);
    return dictionary;
  }

  /** A page of the account's dictionaries, newest first, and how many there are in all. */
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
    return (await this.#store.findDictionary(accountId, id)) ?? noDictionary();
  }

  async rename(
    accountId: string,
    id: string,
    change: { readonly name?: string; readonly description?: string },
  ): Promise<StoredDictionary> {
    const updatedAtMs = this.#now();
    return (await this.#store.renameDictionary(accountId, id, { ...change, updatedAtMs })) ?? noDictionary();
  }

  /** Nobody finds the dictionary any more. Doing so twice is as good as once. */
  async archive(accountId: string, id: string): Promise<void> {
    if (!(await this.#store.archiveDictionary(accountId, id, this.#now()))) noDictionary();
  }

  /** Publishes the whole list of a dictionary anew. Refused when somebody else published since `expectedLatestId`. */
  async publish(
    accountId: string,
    dictionaryId: string,
    given: { readonly items: readonly DictionaryItem[]; readonly expectedLatestId: string | undefined },
  ): Promise<Version> {
    const { items, expectedLatestId } = given;
    assertValidItems(items);
    const dictionary = await this.get(accountId, dictionaryId);
    if (dictionary.latestVersionId !== expectedLatestId) throw staleVersion();
    const most = this.#limits.dictionaryVersionsMax;
    if ((await this.#store.countVersions(dictionaryId)) >= most) {
      const message = `A dictionary may have at most ${most} versions. Archive old ones.`;
      throw new ApiError('dictionary_limit', message);
    }
    const latest = expectedLatestId && (await this.#store.findVersion(dictionaryId, expectedLatestId));
    const version: StoredVersion = {
      id: newId(),
      dictionaryId,
      number: (latest ? latest.number : 0) + 1,
      itemCount: items.length,
      createdAtMs: this.#now(),
    };
    if (!(await this.#store.publishVersion(version, items, expectedLatestId))) throw staleVersion();
    return { ...version, items };
  }

  /** A page of a dictionary's versions, newest first, and how many there are in all. */
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

  async getVersion(accountId: string, dictionaryId: string, id: string): Promise<Version> {
    await this.get(accountId, dictionaryId);
    const version = (await this.#store.findVersion(dictionaryId, id)) ?? noVersion();
    return { ...version, items: await this.#store.versionItems(id) };
  }

  /** Nobody finds the version any more. The latest one stays, and so does what is archived. */
  async archiveVersion(accountId: string, dictionaryId: string, id: string): Promise<void> {
    const dictionary = await this.get(accountId, dictionaryId);
    if (dictionary.latestVersionId === id) {
      throw new ApiError('dictionary_conflict', 'The latest version of a dictionary cannot be archived.');
    }
    if (await this.#store.archiveVersion(dictionaryId, id, this.#now())) return;
    throw new ApiError('dictionary_conflict', 'The version is archived already, or never was.');
  }

  /** Whether the account has this version now. */
  async hasVersion(accountId: string, dictionaryId: string, id: string): Promise<boolean> {
    const dictionary = await this.#store.findDictionary(accountId, dictionaryId);
    return dictionary !== undefined && (await this.#store.findVersion(dictionaryId, id)) !== undefined;
  }

  /** What a version holds, for a caller that has it. */
  versionItems(id: string): Promise<readonly DictionaryItem[]> {
    return this.#store.versionItems(id);
  }
}

function newId(): string {
  return randomBytes(16).toString('hex');
}

function noDictionary(): never {
  throw new ApiError('dictionary_not_found', 'Pronunciation dictionary not found');
}

function noVersion(): never {
  throw new ApiError('dictionary_not_found', 'Pronunciation dictionary version not found');
}

function staleVersion(): ApiError {
  return new ApiError(
    'dictionary_conflict',
    'Another version was published since. Get the latest version and publish on top of it.',
  );
}
