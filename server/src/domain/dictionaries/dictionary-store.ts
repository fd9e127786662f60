import type { DictionaryItem } from '../../text/dictionary-matcher.ts';

/** A named list of pronunciations that belongs to an account. What it holds is in its versions. */
export interface StoredDictionary {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly description: string;
  /** The newest version; undefined until one is published. */
  readonly latestVersionId: string | undefined;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** What a dictionary held at one time. It never changes. */
export interface StoredVersion {
  readonly id: string;
  readonly dictionaryId: string;
  /** 1 for the first version of a dictionary. */
  readonly number: number;
  readonly itemCount: number;
  readonly createdAtMs: number;
}

/** Which part of a list is wanted, newest first. */
export interface Page {
  readonly limit: number;
  /** Leaves out as many. */
  readonly offset?: number;
  /** Only what is older than this. */
  readonly before?: { readonly createdAtMs: number; readonly id: string } | undefined;
}

/**
 * Where dictionaries are kept. Archived dictionaries and versions are kept too, but only `archive…` knows
 * them: nothing else finds them.
 */
export interface DictionaryStore {
  addDictionary(dictionary: StoredDictionary): Promise<void>;
  countDictionaries(accountId: string): Promise<number>;
  listDictionaries(accountId: string, page: Page): Promise<readonly StoredDictionary[]>;
  findDictionary(accountId: string, id: string): Promise<StoredDictionary | undefined>;
  /** Undefined when there is no such dictionary. */
  renameDictionary(
    accountId: string,
    id: string,
    change: { readonly name?: string; readonly description?: string; readonly updatedAtMs: number },
  ): Promise<StoredDictionary | undefined>;
  /** False when the account never had it. */
  archiveDictionary(accountId: string, id: string, atMs: number): Promise<boolean>;
  /**
   * Adds the version and makes it the latest, in one step and only if the latest is still `expectedLatestId`.
   * False when it is not.
   */
  publishVersion(
    version: StoredVersion,
    items: readonly DictionaryItem[],
    expectedLatestId: string | undefined,
  ): Promise<boolean>;
  /** How many versions a dictionary has, archived ones not counted. */
  countVersions(dictionaryId: string): Promise<number>;
  listVersions(dictionaryId: string, page: Page): Promise<readonly StoredVersion[]>;
  findVersion(dictionaryId: string, id: string): Promise<StoredVersion | undefined>;
  versionItems(id: string): Promise<readonly DictionaryItem[]>;
  /** False when there is no such version, or it is archived already. */
  archiveVersion(dictionaryId: string, id: string, atMs: number): Promise<boolean>;
}
