import type { DictionaryItem } from '../../text/dictionary-matcher.ts';

/** A named pronunciation dictionary of an account. Its versions have the items. */
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

/** A published version of a dictionary. Immutable. */
export interface StoredVersion {
  readonly id: string;
  readonly dictionaryId: string;
  /** 1 for the first version of a dictionary. */
  readonly number: number;
  readonly itemCount: number;
  readonly createdAtMs: number;
}

/** A page of a list, newest first. */
export interface Page {
  readonly limit: number;
  /** Number of entries to skip. */
  readonly offset?: number;
  /** Only entries older than this one. */
  readonly before?: { readonly createdAtMs: number; readonly id: string } | undefined;
}

/**
 * Storage of dictionaries. Archived dictionaries and versions stay stored, but only the `archive…` methods see
 * them.
 */
export interface DictionaryStore {
  /** Does nothing when the id exists. */
  addDictionary(dictionary: StoredDictionary): Promise<void>;
  countDictionaries(accountId: string): Promise<number>;
  /** Number of dictionaries and versions of an account, archived ones included. */
  countStored(accountId: string): Promise<number>;
  listDictionaries(accountId: string, page: Page): Promise<readonly StoredDictionary[]>;
  findDictionary(accountId: string, id: string): Promise<StoredDictionary | undefined>;
  /** Undefined when there is no such dictionary. */
  renameDictionary(
    accountId: string,
    id: string,
    change: { readonly name?: string; readonly description?: string; readonly updatedAtMs: number },
  ): Promise<StoredDictionary | undefined>;
  /** False if the account has no such dictionary, archived or not. */
  archiveDictionary(accountId: string, id: string, atMs: number): Promise<boolean>;
  /** Adds the version and makes it the latest, atomically. False if the latest version is not `expectedLatestId`. */
  publishVersion(
    version: StoredVersion,
    items: readonly DictionaryItem[],
    expectedLatestId: string | undefined,
  ): Promise<boolean>;
  /** Number of versions of a dictionary, archived ones excluded. */
  countVersions(dictionaryId: string): Promise<number>;
  listVersions(dictionaryId: string, page: Page): Promise<readonly StoredVersion[]>;
  findVersion(dictionaryId: string, id: string): Promise<StoredVersion | undefined>;
  versionItems(id: string): Promise<readonly DictionaryItem[]>;
  /** False if there is no such version, or it is already archived. */
  archiveVersion(dictionaryId: string, id: string, atMs: number): Promise<boolean>;
}
