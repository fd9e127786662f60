import { randomUUID } from 'node:crypto';
import { ApiError } from '../../../errors.ts';
import type { Actor, AuditAction, AuditLog } from '../audit/audit-log.ts';
import type { ApiKeys, CreatedKey, CreateKeyInput, KeyInfo } from '../keys/api-keys.ts';
import type { AccountChange, KeyChange, KeyStore, StoredAccount } from '../keys/key-store.ts';
import { type Ledger, LedgerConflictError, type Wallet } from '../ledger/ledger.ts';
import { formatUsd } from '../ledger/money.ts';
import { type AccountDataOwner, deleteAccount } from './delete-account.ts';
import { requireAccount } from './require-account.ts';

export interface AdministrationDeps {
  readonly store: KeyStore;
  readonly keys: ApiKeys;
  readonly ledger: Ledger;
  readonly audit: AuditLog;
  readonly dataOwners: readonly AccountDataOwner[];
  readonly now?: () => number;
}

export interface NewAccount {
  /** Given when the creation may be repeated; otherwise random. */
  readonly id?: string | undefined;
  readonly name: string;
  readonly members?: readonly string[] | undefined;
  readonly concurrencyMax?: number | undefined;
  readonly isWatermarked?: boolean | undefined;
}

export interface CreditInput {
  readonly accountId: string;
  readonly amountNano: number;
  /** Idempotency id chosen by the operator. */
  readonly id?: string | undefined;
  readonly memo?: string | undefined;
}

/** The operations of an operator on accounts, keys and credit. Every change is recorded in the audit log. */
export class Administration {
  readonly #deps: AdministrationDeps;
  readonly #now: () => number;
  readonly #changeListeners: ((accountId: string) => void)[] = [];

  constructor(deps: AdministrationDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
  }

  /** Calls the listener after a change of an account by this server. */
  onAccountChange(listener: (accountId: string) => void): void {
    this.#changeListeners.push(listener);
  }

  listAccounts(): Promise<readonly StoredAccount[]> {
    return this.#deps.store.listAccounts();
  }

  wallet(accountId: string): Promise<Wallet> {
    return this.#deps.ledger.wallet(accountId);
  }

  requireAccount(id: string): Promise<StoredAccount> {
    return requireAccount(this.#deps.store, id);
  }

  async createAccount(
    actor: Actor,
    {
      id = `acc_${randomUUID().replaceAll('-', '')}`,
      name,
      members = [],
      concurrencyMax,
      isWatermarked = false,
    }: NewAccount,
  ): Promise<StoredAccount> {
    const earlier = await this.#deps.store.findAccount(id);
    if (earlier !== undefined) return earlier;
    await this.#deps.store.ensureAccount({ id, name, createdAtMs: this.#now() });
    await this.#deps.store.changeAccount(id, { members, concurrencyMax, isWatermarked });
    await this.#recordAudit(actor, 'account.create', { accountId: id, target: id, facts: {} });
    return this.requireAccount(id);
  }

  async changeAccount(
    actor: Actor,
    id: string,
    change: Omit<AccountChange, 'deletedAtMs'>,
  ): Promise<StoredAccount> {
    await this.#requireActive(id);
    await this.#deps.store.changeAccount(id, change);
    for (const listener of this.#changeListeners) listener(id);
    await this.#recordAudit(actor, 'account.change', {
      accountId: id,
      target: id,
      facts: { fields: Object.keys(change) },
    });
    return this.requireAccount(id);
  }

  deleteAccount(actor: Actor, accountId: string): Promise<StoredAccount> {
    return deleteAccount(this.#deps, { actor, accountId, atMs: this.#now() });
  }

  listKeys(accountId?: string): Promise<readonly KeyInfo[]> {
    return this.#deps.keys.list(accountId);
  }

  async createKey(actor: Actor, input: CreateKeyInput): Promise<CreatedKey> {
    await this.#requireActive(input.accountId);
    const created = await this.#deps.keys.create(input);
    await this.#auditKey(actor, 'key.create', created, { scopes: created.scopes });
    return created;
  }

  async changeKey(actor: Actor, idOrPrefix: string, change: KeyChange): Promise<KeyInfo> {
    const key = await this.#requireKey(idOrPrefix);
    await this.#deps.keys.change(key.id, change);
    await this.#auditKey(actor, 'key.change', key, { fields: Object.keys(change) });
    return this.#requireKey(key.id);
  }

  /** Creates a successor with the same properties. The old key works for another `graceMs`. */
  async rotateKey(
    actor: Actor,
    idOrPrefix: string,
    { graceMs, successorId }: { readonly graceMs: number; readonly successorId?: string | undefined },
  ): Promise<CreatedKey> {
    const old = await this.#requireKey(idOrPrefix);
    const created = await this.#deps.keys.rotate(old.id, graceMs, successorId);
    if (created === undefined) throw new ApiError('key_not_found', `The key ${idOrPrefix} is revoked.`);
    await this.#auditKey(actor, 'key.rotate', old, { successor: created.id, graceSeconds: graceMs / 1000 });
    return created;
  }

  async revokeKey(actor: Actor, idOrPrefix: string): Promise<KeyInfo> {
    const key = await this.#requireKey(idOrPrefix);
    await this.#deps.keys.revoke(key.id);
    await this.#auditKey(actor, 'key.revoke', key, {});
    return this.#requireKey(key.id);
  }

  topUp(actor: Actor, input: CreditInput): Promise<Wallet> {
    return this.#bookCredit(actor, 'credit.top_up', input);
  }

  adjust(actor: Actor, input: CreditInput): Promise<Wallet> {
    return this.#bookCredit(actor, 'credit.adjust', input);
  }

  refund(actor: Actor, input: CreditInput): Promise<Wallet> {
    return this.#bookCredit(actor, 'credit.refund', input);
  }

  async #bookCredit(
    actor: Actor,
    action: 'credit.top_up' | 'credit.adjust' | 'credit.refund',
    { accountId, amountNano, id = randomUUID(), memo = '' }: CreditInput,
  ): Promise<Wallet> {
    await this.#requireActive(accountId);
    const { ledger } = this.#deps;
    // The prefix keeps ids of operators apart from ids of the server.
    const booking = { id: `${action}:${id}`, accountId, amountNano, memo };
    const operations = {
      'credit.top_up': 'topUp',
      'credit.adjust': 'adjust',
      'credit.refund': 'refund',
    } as const;
    const outcome = await ledger[operations[action]](booking).catch((error: unknown) => {
      if (error instanceof LedgerConflictError) throw new ApiError('booking_id_reused', error.message);
      throw error;
    });
    if (outcome === 'not_possible') {
      throw new ApiError(
        'amount_not_possible',
        'The resulting balance would be negative or above the limit.',
      );
    }
    if (outcome === 'booked') {
      const facts = { usd: formatUsd(amountNano), memo };
      await this.#recordAudit(actor, action, { accountId, target: booking.id, facts });
    }
    return ledger.wallet(accountId);
  }

  async #requireActive(accountId: string): Promise<void> {
    const { deletedAtMs } = await this.requireAccount(accountId);
    if (deletedAtMs !== undefined)
      throw new ApiError('account_not_found', `Account ${accountId} was deleted.`);
  }

  async #requireKey(idOrPrefix: string): Promise<KeyInfo> {
    const key = await this.#deps.keys.find(idOrPrefix);
    if (key === undefined) throw new ApiError('key_not_found', `There is no key ${idOrPrefix}.`);
    return key;
  }

  #auditKey(actor: Actor, action: AuditAction, key: KeyInfo, facts: Record<string, unknown>): Promise<void> {
    return this.#recordAudit(actor, action, {
      accountId: key.accountId,
      target: key.id,
      facts: { prefix: key.prefix, ...facts },
    });
  }

  #recordAudit(
    actor: Actor,
    action: AuditAction,
    event: { accountId: string; target: string; facts: Record<string, unknown> },
  ): Promise<void> {
    return this.#deps.audit.record({ actor, action, ...event });
  }
}
