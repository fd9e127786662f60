import { type Insertable, type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import type { ClaimedRefinement } from '../../domain/voices/refinement-queue.ts';
import type {
  RefinementState,
  StoredVoice,
  Visibility,
  VoiceChanges,
  VoiceState,
} from '../../domain/voices/stored-voice.ts';
import type { ClonedVoice } from '../../domain/voices/voice-cloner.ts';
import { TRAINING_LEASE_MS, type VoiceFilter, type VoiceStore } from '../../domain/voices/voice-store.ts';
import { lockActiveAccount } from './active-account.ts';
import type { Database } from './database.ts';
import { databaseTime } from './database-clock.ts';
import type { Tables } from './schema.ts';
import { SqlRefinementQueue } from './sql-refinement-queue.ts';
import { cloneFromJson, cloneToJson, ParsedClones } from './stored-clone.ts';

type VoiceRow = Selectable<Tables['voice']> & { readonly author_name: string; readonly uses: number | null };

/** The voices of the voice library. */
export class SqlVoiceStore implements VoiceStore {
  readonly #db: Database;
  readonly #refinements: SqlRefinementQueue;
  readonly #clones = new ParsedClones();

  constructor(db: Database) {
    this.#db = db;
    this.#refinements = new SqlRefinementQueue(db, (id) => this.find(id));
  }

  add(voice: Omit<StoredVoice, 'authorName' | 'taskCount'>, voicesMax: number): Promise<boolean> {
    return this.#db.transaction().execute(async (tx) => {
      await lockActiveAccount(tx, voice.accountId, { isExclusive: true });
      const { voices } = await tx
        .selectFrom('voice')
        .select((builder) => builder.fn.countAll<number | string>().as('voices'))
        .where('account_id', '=', voice.accountId)
        .executeTakeFirstOrThrow();
      if (Number(voices) >= voicesMax) return false;
      const training_until = voice.state === 'trained' ? null : databaseTime(tx, TRAINING_LEASE_MS);
      await tx
        .insertInto('voice')
        .values({ ...toRow(voice), training_until })
        .execute();
      return true;
    });
  }

  async find(id: string): Promise<StoredVoice | undefined> {
    const row = await this.#rows().where('voice.id', '=', id).executeTakeFirst();
    return row && this.#read(row);
  }

  async findNamed(accountId: string, referenceName: string): Promise<StoredVoice | undefined> {
    const row = await this.#rows()
      .where('voice.account_id', '=', accountId)
      .where('voice.reference_name', '=', referenceName)
      .executeTakeFirst();
    return row && this.#read(row);
  }

  async referenceNames(accountId: string): Promise<readonly string[]> {
    const rows = await this.#db
      .selectFrom('voice')
      .select('reference_name')
      .where('account_id', '=', accountId)
      .orderBy('reference_name')
      .execute();
    return rows.flatMap(({ reference_name: name }) => name ?? []);
  }

  async list(filter: VoiceFilter, limit: number): Promise<{ voices: readonly StoredVoice[]; total: number }> {
    const rows = await matching(this.#rows(), filter)
      .orderBy('voice.created_at', 'desc')
      .orderBy('voice.id')
      .limit(limit)
      .execute();
    const counted = await matching(this.#db.selectFrom('voice'), filter)
      .select((expression) => expression.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    return {
      voices: rows.map((row) => toStoredVoice(row, cloneFromJson(row.clone))),
      total: Number(counted.total),
    };
  }

  async change(id: string, changes: VoiceChanges, atMs: number): Promise<boolean> {
    const { title, description, visibility, state, tags, languages, coverFile, samples, clips, clone } =
      changes;
    const { referenceName, refinement } = changes;
    const changed = await this.#db
      .updateTable('voice')
      .set({
        updated_at: atMs,
        ...(referenceName !== undefined && { reference_name: referenceName }),
        ...(title !== undefined && { title }),
        ...(description !== undefined && { description }),
        ...(visibility !== undefined && { visibility }),
        ...(state !== undefined && { state }),
        ...(refinement !== undefined && { refinement }),
        ...(tags !== undefined && { tags: JSON.stringify(tags) }),
        ...(languages !== undefined && { languages: JSON.stringify(languages) }),
        ...(coverFile !== undefined && { cover_file: coverFile }),
        ...(samples !== undefined && { samples: JSON.stringify(samples) }),
        ...(clips !== undefined && { clips: JSON.stringify(clips) }),
        ...(clone !== undefined && { clone: cloneToJson(clone) }),
      })
      .where('id', '=', id)
      .returning('id')
      .executeTakeFirst();
    return changed !== undefined;
  }

  async remove(id: string): Promise<boolean> {
    return this.#db.transaction().execute(async (tx) => {
      await tx.deleteFrom('voice_use').where('voice_id', '=', id).execute();
      const removed = await tx.deleteFrom('voice').where('id', '=', id).returning('id').executeTakeFirst();
      return removed !== undefined;
    });
  }

  async addUses(counts: ReadonlyMap<string, number>): Promise<void> {
    if (counts.size === 0) return;
    await this.#db
      .insertInto('voice_use')
      .values(Array.from(counts, ([voiceId, uses]) => ({ voice_id: voiceId, uses })))
      .onConflict((conflict) =>
        conflict.column('voice_id').doUpdateSet({ uses: sql<number>`voice_use.uses + excluded.uses` }),
      )
      .execute();
  }

  async uses(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#db.selectFrom('voice_use').selectAll().execute();
    return new Map(rows.map((row) => [row.voice_id, row.uses]));
  }

  async renewTraining(id: string, leaseMs: number): Promise<boolean> {
    const row = await this.#db
      .updateTable('voice')
      .set({ training_until: databaseTime(this.#db, leaseMs) })
      .where('id', '=', id)
      .returning('id')
      .executeTakeFirst();
    return row !== undefined;
  }

  async settleTraining(atMs: number, which: 'all' | 'expired'): Promise<void> {
    const now = databaseTime(this.#db);
    await this.#db
      .updateTable('voice')
      .set({ state: 'trained' satisfies VoiceState, updated_at: atMs })
      .where('state', 'in', ['created', 'training'] satisfies VoiceState[])
      .where('refinement', '=', 'none' satisfies RefinementState)
      .$if(which === 'expired', (query) =>
        query.where((where) =>
          // Voices of earlier versions have no lease.
          where.or([where('training_until', 'is', null), where('training_until', '<=', now)]),
        ),
      )
      .execute();
  }

  claimRefinement(
    leaseMs: number,
    lastAccountId: string | undefined,
  ): Promise<ClaimedRefinement | undefined> {
    return this.#refinements.claimRefinement(leaseMs, lastAccountId);
  }

  renewRefinement(id: string, leaseMs: number): Promise<boolean> {
    return this.#refinements.renewRefinement(id, leaseMs);
  }

  releaseRefinement(id: string): Promise<void> {
    return this.#refinements.releaseRefinement(id);
  }

  #read(row: VoiceRow): StoredVoice {
    return toStoredVoice(row, this.#clones.parse(row.id, row.clone));
  }

  #rows() {
    return this.#db
      .selectFrom('voice')
      .innerJoin('account', 'account.id', 'voice.account_id')
      .leftJoin('voice_use', 'voice_use.voice_id', 'voice.id')
      .selectAll('voice')
      .select(['account.name as author_name', 'voice_use.uses']);
  }
}

function toRow(voice: Omit<StoredVoice, 'authorName' | 'taskCount'>): Insertable<Tables['voice']> {
  return {
    id: voice.id,
    account_id: voice.accountId,
    reference_name: voice.referenceName ?? null,
    title: voice.title,
    description: voice.description,
    visibility: voice.visibility,
    state: voice.state,
    refinement: voice.refinement,
    tags: JSON.stringify(voice.tags),
    languages: JSON.stringify(voice.languages),
    cover_file: voice.coverFile ?? null,
    samples: JSON.stringify(voice.samples),
    clips: JSON.stringify(voice.clips),
    clone: cloneToJson(voice.clone),
    cloner: voice.cloner,
    consent_account_id: voice.consent.accountId,
    consent_key_id: voice.consent.keyId,
    consent_at: voice.consent.atMs,
    consent_statement: voice.consent.statement,
    created_at: voice.createdAtMs,
    updated_at: voice.updatedAtMs,
  };
}

function matching<Output>(
  query: SelectQueryBuilder<Tables, 'voice', Output>,
  filter: VoiceFilter,
): SelectQueryBuilder<Tables, 'voice', Output> {
  const { ownedBy, authorId, title, tags, languages } = filter;
  let found = query;
  if (ownedBy !== undefined) found = found.where('voice.account_id', '=', ownedBy);
  else found = found.where('voice.visibility', '=', 'public' satisfies Visibility);
  if (authorId !== undefined) found = found.where('voice.account_id', '=', authorId);
  if (title) found = found.where(sql`lower(voice.title)`, 'like', contains(title.toLowerCase()));
  // The column is a JSON array, in which every item is quoted.
  for (const tag of tags) {
    found = found.where(sql`lower(voice.tags)`, 'like', contains(JSON.stringify(tag).toLowerCase()));
  }
  if (languages.length > 0) {
    found = found.where((expression) =>
      expression.or(
        languages.map((code) => expression('voice.languages', 'like', contains(JSON.stringify(code)))),
      ),
    );
  }
  return found;
}

/** A LIKE pattern for text that contains `text`. */
function contains(text: string): string {
  // Special characters of patterns become `_`, which matches any character.
  return `%${text.replaceAll(/[\\%]/g, '_')}%`;
}

function toStoredVoice(row: VoiceRow, clone: ClonedVoice): StoredVoice {
  return {
    id: row.id,
    accountId: row.account_id,
    authorName: row.author_name,
    referenceName: row.reference_name ?? undefined,
    title: row.title,
    description: row.description,
    visibility: row.visibility as Visibility,
    state: row.state as VoiceState,
    refinement: row.refinement as RefinementState,
    tags: JSON.parse(row.tags),
    languages: JSON.parse(row.languages),
    coverFile: row.cover_file ?? undefined,
    samples: JSON.parse(row.samples),
    clips: JSON.parse(row.clips),
    clone,
    cloner: row.cloner,
    consent: {
      accountId: row.consent_account_id,
      keyId: row.consent_key_id,
      atMs: row.consent_at,
      statement: row.consent_statement,
    },
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
    taskCount: row.uses ?? 0,
  };
}
