import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { AccountSlot, AccountSlots, SlotKind } from '../../../domain/accounts/limits/account-slots.ts';
import type { Database } from '../database.ts';
import { databaseTime } from '../database-clock.ts';

/** Lease duration. The slots of a server that has died are free after this time. */
const LEASE_MS = 30_000;
/** With a higher limit, random numbers are tried before all numbers are compared. */
const COMPARED_MAX = 512;
const SAMPLE_SIZE = 64;
/** Servers that choose the same free number at the same time try again. */
const ATTEMPTS_MAX = 100;

/** Slots of accounts in PostgreSQL: rows with the numbers 1 to `max`, of which each has one owner. */
export class SqlAccountSlots implements AccountSlots {
  readonly #db: Database;
  readonly #leaseMs: number;
  /** Identifies this server. */
  readonly #owner = randomUUID();
  readonly #releases = new Set<Promise<void>>();
  /** Slots whose release has failed, because the database was not available. */
  readonly #unreleased = new Set<SlotKey>();
  /** Slots with an amount that the database does not have yet. */
  readonly #changedAmounts = new Map<SlotKey, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Database, leaseMs = LEASE_MS) {
    this.#db = db;
    this.#leaseMs = leaseMs;
  }

  async take(kind: SlotKind, accountId: string, max: number): Promise<AccountSlot | undefined> {
    let isSampled = max > COMPARED_MAX;
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
      const { number, free, active } = await this.#tryTake(kind, accountId, { max, isSampled });
      if (number !== null) {
        return this.#slotOf({ kind, accountId, number }, active + 1);
      }
      if (free === 0 && !isSampled) return undefined;
      isSampled = false;
    }
    return undefined;
  }

  async shareAmounts(
    kind: SlotKind,
    accountIds: readonly string[],
  ): Promise<ReadonlyMap<string, { readonly count: number; readonly amount: number }>> {
    const changed = [...this.#changedAmounts].filter(([key]) => key.kind === kind);
    for (const [key, amount] of changed) {
      this.#changedAmounts.delete(key);
      await this.#db
        .updateTable('account_slot')
        .set({ amount })
        .where('account_id', '=', key.accountId)
        .where('kind', '=', kind)
        .where('number', '=', key.number)
        .where('owner', '=', this.#owner)
        .execute();
    }
    const { rows } = await sql<{ account_id: string; count: number; amount: number }>`
      select account_id, count(*)::int as count, coalesce(sum(amount), 0)::float8 as amount
      from account_slot
      where kind = ${kind} and owner <> ${this.#owner} and account_id = any(${[...accountIds]})
        and expires_at > ${databaseTime(this.#db)}
      group by account_id`.execute(this.#db);
    return new Map(rows.map(({ account_id, count, amount }) => [account_id, { count, amount }]));
  }

  /** Starts the renewal of the leases of this server. */
  start(): void {
    this.#timer ??= setInterval(() => void this.renew().catch(() => {}), this.#leaseMs / 3).unref();
  }

  /** Renews the slots of this server, repeats releases that have failed, and removes expired slots. */
  async renew(): Promise<void> {
    for (const key of this.#unreleased) {
      await this.#delete(key);
      this.#unreleased.delete(key);
    }
    await this.#db
      .updateTable('account_slot')
      .set({ expires_at: databaseTime(this.#db, this.#leaseMs) })
      .where('owner', '=', this.#owner)
      .execute();
    await this.#db
      .deleteFrom('account_slot')
      .where('expires_at', '<=', databaseTime(this.#db, -this.#leaseMs))
      .execute();
  }

  /** Releases all slots of this server. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#releases);
    await this.#db.deleteFrom('account_slot').where('owner', '=', this.#owner).execute();
  }

  async #tryTake(
    kind: SlotKind,
    accountId: string,
    { max, isSampled }: { readonly max: number; readonly isSampled: boolean },
  ): Promise<{ readonly number: number | null; readonly free: number; readonly active: number }> {
    const now = databaseTime(this.#db);
    const candidates = isSampled
      ? sql`(select 1 + floor(random() * ${max})::int as n from generate_series(1, ${sql.lit(SAMPLE_SIZE)}))`
      : sql`(select n from generate_series(1, ${max}::int) as n)`;
    // The primary key decides between servers that choose the same number.
    const { rows } = await sql<{ number: number | null; free: number; active: number }>`
      with taken_slot as materialized (
        select number from account_slot
        where account_id = ${accountId} and kind = ${kind} and expires_at > ${now}
      ), free as (
        select n from ${candidates} as candidate
        where n not in (select number from taken_slot) order by random() limit 1
      ), taken as (
        insert into account_slot (account_id, kind, number, owner, expires_at)
        select ${accountId}, ${kind}, n, ${this.#owner}, ${databaseTime(this.#db, this.#leaseMs)} from free
        on conflict (account_id, kind, number)
        do update set owner = excluded.owner, expires_at = excluded.expires_at, amount = 0
        where account_slot.expires_at <= ${now}
        returning number
      )
      select (select number from taken) as number, (select count(*)::int from free) as free,
        (select count(*)::int from taken_slot) as active`.execute(this.#db);
    return rows[0] ?? { number: null, free: 0, active: 0 };
  }

  #slotOf(key: SlotKey, activeCount: number): AccountSlot {
    const changed = this.#changedAmounts;
    let current = 0;
    return {
      activeCount,
      get amount() {
        return current;
      },
      set amount(value) {
        current = value;
        changed.set(key, value);
      },
      release: () => this.#release(key),
    };
  }

  #release(key: SlotKey): Promise<void> {
    this.#changedAmounts.delete(key);
    const release = this.#delete(key)
      // Repeated with the next renewal.
      .catch(() => void this.#unreleased.add(key))
      .finally(() => this.#releases.delete(release));
    this.#releases.add(release);
    return release;
  }

  async #delete({ kind, accountId, number }: SlotKey): Promise<void> {
    await this.#db
      .deleteFrom('account_slot')
      .where('account_id', '=', accountId)
      .where('kind', '=', kind)
      .where('number', '=', number)
      .where('owner', '=', this.#owner)
      .execute();
  }
}

interface SlotKey {
  readonly kind: SlotKind;
  readonly accountId: string;
  readonly number: number;
}
