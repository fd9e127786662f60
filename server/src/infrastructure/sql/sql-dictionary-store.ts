import { type ExpressionBuilder, type Selectable, sql } from 'kysely';
import type {
  DictionaryStore,
  Page,
  StoredDictionary,
  StoredVersion,
} from '../../domain/dictionaries/dictionary-store.ts';
import type { DictionaryItem } from '../../text/dictionary-matcher.ts';
import { lockActiveAccount } from './active-account.ts';
import type { Database } from './database.ts';
import type { Tables } from './schema.ts';

const VERSION_COLUMNS = ['id', 'dictionary_id', 'number', 'item_count', 'created_at'] as const;

/** Pronunciation dictionaries in the database. */
export class SqlDictionaryStore implements DictionaryStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async addDictionary(dictionary: StoredDictionary): Promise<void> {
    const row = {
      id: dictionary.id,
      account_id: dictionary.accountId,
      name: dictionary.name,
      description: dictionary.description,
      latest_version_id: dictionary.latestVersionId ?? null,
      created_at: dictionary.createdAtMs,
      updated_at: dictionary.updatedAtMs,
      archived_at: null,
    };
    await this.#db.transaction().execute(async (tx) => {
      await lockActiveAccount(tx, dictionary.accountId);
      await tx
        .insertInto('dictionary')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
    });
  }

  async countDictionaries(accountId: string): Promise<number> {
    const { count } = await this.#db
      .selectFrom('dictionary')
      .select(({ fn }) => fn.countAll<number | string>().as('count'))
      .where('account_id', '=', accountId)
      .where('archived_at', 'is', null)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  async countStored(accountId: string): Promise<number> {
    const { dictionaries, versions } = await this.#db
      .selectFrom('dictionary')
      .leftJoin('dictionary_version', 'dictionary_version.dictionary_id', 'dictionary.id')
      .select([
        sql<number | string>`count(distinct dictionary.id)`.as('dictionaries'),
        sql<number | string>`count(dictionary_version.id)`.as('versions'),
      ])
      .where('account_id', '=', accountId)
      .executeTakeFirstOrThrow();
    return Number(dictionaries) + Number(versions);
  }

  async listDictionaries(accountId: string, page: Page): Promise<readonly StoredDictionary[]> {
    const rows = await this.#db
      .selectFrom('dictionary')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('archived_at', 'is', null)
      .where(isBefore(page))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(page.limit)
      .offset(page.offset ?? 0)
      .execute();
    return rows.map(toDictionary);
  }

  async findDictionary(accountId: string, id: string): Promise<StoredDictionary | undefined> {
    const row = await this.#db
      .selectFrom('dictionary')
      .selectAll()
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .where('archived_at', 'is', null)
      .executeTakeFirst();
    return row && toDictionary(row);
  }

  async renameDictionary(
    accountId: string,
    id: string,
    change: { readonly name?: string; readonly description?: string; readonly updatedAtMs: number },
  ): Promise<StoredDictionary | undefined> {
    const { updatedAtMs, ...names } = change;
    const row = await this.#db
      .updateTable('dictionary')
      .set({ ...names, updated_at: updatedAtMs })
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .where('archived_at', 'is', null)
      .returningAll()
      .executeTakeFirst();
    return row && toDictionary(row);
  }

  async archiveDictionary(accountId: string, id: string, atMs: number): Promise<boolean> {
    const row = await this.#db
      .updateTable('dictionary')
      .set(({ fn, val }) => ({ archived_at: fn.coalesce('archived_at', val(atMs)) }))
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .returning('id')
      .executeTakeFirst();
    return row !== undefined;
  }

  async publishVersion(
    version: StoredVersion,
    items: readonly DictionaryItem[],
    expectedLatestId: string | undefined,
  ): Promise<boolean> {
    return this.#db.transaction().execute(async (transaction) => {
      const latest = await transaction
        .updateTable('dictionary')
        .set({ latest_version_id: version.id, updated_at: version.createdAtMs })
        .where('id', '=', version.dictionaryId)
        .where('archived_at', 'is', null)
        .where('latest_version_id', expectedLatestId === undefined ? 'is' : '=', expectedLatestId ?? null)
        .returning('id')
        .executeTakeFirst();
      if (latest === undefined) return false;
      await transaction
        .insertInto('dictionary_version')
        .values({
          id: version.id,
          dictionary_id: version.dictionaryId,
          number: version.number,
          item_count: version.itemCount,
          items: writeItems(items),
          created_at: version.createdAtMs,
          archived_at: null,
        })
        .execute();
      return true;
    });
  }

  async countVersions(dictionaryId: string): Promise<number> {
    const { count } = await this.#db
      .selectFrom('dictionary_version')
      .select(({ fn }) => fn.countAll<number | string>().as('count'))
      .where('dictionary_id', '=', dictionaryId)
      .where('archived_at', 'is', null)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  async listVersions(dictionaryId: string, page: Page): Promise<readonly StoredVersion[]> {
    const rows = await this.#db
      .selectFrom('dictionary_version')
      .select(VERSION_COLUMNS)
      .where('dictionary_id', '=', dictionaryId)
      .where('archived_at', 'is', null)
      .where(isBefore(page))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(page.limit)
      .offset(page.offset ?? 0)
      .execute();
    return rows.map(toVersion);
  }

  async findVersion(dictionaryId: string, id: string): Promise<StoredVersion | undefined> {
    const row = await this.#db
      .selectFrom('dictionary_version')
      .select(VERSION_COLUMNS)
      .where('id', '=', id)
      .where('dictionary_id', '=', dictionaryId)
      .where('archived_at', 'is', null)
      .executeTakeFirst();
    return row && toVersion(row);
  }

  async versionItems(id: string): Promise<readonly DictionaryItem[]> {
    const row = await this.#db
      .selectFrom('dictionary_version')
      .select('items')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return readItems(row.items);
  }

  async archiveVersion(dictionaryId: string, id: string, atMs: number): Promise<boolean> {
    const row = await this.#db
      .updateTable('dictionary_version')
      .set({ archived_at: atMs })
      .where('id', '=', id)
      .where('dictionary_id', '=', dictionaryId)
      .where('archived_at', 'is', null)
      .returning('id')
      .executeTakeFirst();
    return row !== undefined;
  }
}

function isBefore({ before }: Page) {
  return <Table extends 'dictionary' | 'dictionary_version'>(where: ExpressionBuilder<Tables, Table>) => {
    if (before === undefined) return where.lit(true);
    return where.or([
      where('created_at', '<', before.createdAtMs as never),
      where.and([
        where('created_at', '=', before.createdAtMs as never),
        where('id', '<', before.id as never),
      ]),
    ]);
  };
}

/** Stored form of an item: key, value, 1 when it is case-sensitive, and 1 when it matches whole words only. */
type ItemRow = readonly [key: string, value: string, isCaseSensitive: 0 | 1, isWholeWord?: 1];

function writeItems(items: readonly DictionaryItem[]): string {
  const rows = items.map(({ key, value, isCaseSensitive, isWholeWord }): ItemRow => {
    const caseFlag = isCaseSensitive ? 1 : 0;
    return isWholeWord ? [key, value, caseFlag, 1] : [key, value, caseFlag];
  });
  return JSON.stringify(rows);
}

function readItems(json: string): DictionaryItem[] {
  const rows = JSON.parse(json) as readonly ItemRow[];
  return rows.map(([key, value, isCaseSensitive, isWholeWord]) => ({
    key,
    value,
    isCaseSensitive: isCaseSensitive === 1,
    ...(isWholeWord === 1 && { isWholeWord: true }),
  }));
}

function toDictionary(row: Selectable<Tables['dictionary']>): StoredDictionary {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    description: row.description,
    latestVersionId: row.latest_version_id ?? undefined,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  };
}

function toVersion(
  row: Pick<Selectable<Tables['dictionary_version']>, (typeof VERSION_COLUMNS)[number]>,
): StoredVersion {
  return {
    id: row.id,
    dictionaryId: row.dictionary_id,
    number: row.number,
    itemCount: row.item_count,
    createdAtMs: row.created_at,
  };
}
