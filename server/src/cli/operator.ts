import { setTimeout as sleep } from 'node:timers/promises';
import type { Admin } from 'mynah';
import {
  AccountChangeSchema,
  toAccountBody,
  toAccountChange,
  toKeyBody,
} from '../api/schemas/accounts/account.ts';
import { toLedgerReport } from '../api/schemas/accounts/ledger-report.ts';
import { toUsageBody, usageRange } from '../api/schemas/accounts/usage.ts';
import type { Accounts } from '../compose/accounts.ts';
import { auditHead, auditLine, toAuditBody } from '../domain/accounts/audit/audit-formats.ts';
import type { Actor } from '../domain/accounts/audit/audit-log.ts';
import type { Scope } from '../domain/accounts/caller.ts';
import { KEY_CACHE_MS } from '../domain/accounts/keys/api-keys.ts';
import { FIRST_ACCOUNT_ID } from '../domain/accounts/keys/first-key.ts';
import { parseUsd } from '../domain/accounts/ledger/money.ts';
import { createStatement } from '../domain/accounts/ledger/statement.ts';
import { statementCsv, statementHtml } from '../domain/accounts/ledger/statement-formats.ts';
import type { UsageGroup } from '../domain/accounts/ledger/usage.ts';

/** Operations on accounts, keys and the ledger, of a server or of the local database. */
export type Operator = Pick<
  Admin,
  | 'listAccounts'
  | 'createAccount'
  | 'updateAccount'
  | 'deleteAccount'
  | 'bookCredit'
  | 'getStatement'
  | 'listKeys'
  | 'createKey'
  | 'rotateKey'
  | 'revokeKey'
  | 'getUsage'
  | 'verifyLedger'
  | 'getAudit'
>;

const GRACE_SECONDS = 3600;

/** An operator on the local database, with the results of the HTTP API. */
export function createLocalOperator(accounts: Accounts, actor: Actor): Operator {
  const { administration, accounting, audit } = accounts;
  const accountBody = async (id: string) =>
    toAccountBody(await administration.requireAccount(id), await administration.wallet(id));
  return {
    async listAccounts() {
      const stored = await administration.listAccounts();
      return Promise.all(stored.map(({ id }) => accountBody(id)));
    },
    async createAccount({ name, members, concurrency_max, watermark }) {
      const concurrencyMax = concurrency_max ?? undefined;
      const account = { name, members, concurrencyMax, isWatermarked: watermark };
      return accountBody((await administration.createAccount(actor, account)).id);
    },
    async updateAccount(id, change) {
      await administration.changeAccount(actor, id, toAccountChange(AccountChangeSchema.parse(change)));
      return accountBody(id);
    },
    async deleteAccount(id) {
      await administration.deleteAccount(actor, id);
      return accountBody(id);
    },
    async bookCredit(accountId, { kind, usd, id, memo }) {
      const operations = { top_up: 'topUp', adjustment: 'adjust', refund: 'refund' } as const;
      await administration[operations[kind]](actor, { accountId, amountNano: parseUsd(usd) ?? 0, id, memo });
      return accountBody(accountId);
    },
    async getStatement(id, month, format) {
      const statement = await createStatement(accounting, await administration.requireAccount(id), month);
      return format === 'html' ? statementHtml(statement) : statementCsv(statement);
    },
    async listKeys({ account_id } = {}) {
      return (await administration.listKeys(account_id)).map(toKeyBody);
    },
    async createKey({ account_id: accountId, name, scopes, expires_at, spend_cap, requests_per_minute }) {
      if (accountId === FIRST_ACCOUNT_ID) {
        await accounts.keyStore.ensureAccount({
          id: accountId,
          name: 'First account',
          createdAtMs: Date.now(),
        });
      }
      const created = await administration.createKey(actor, {
        accountId,
        name,
        scopes: scopes as readonly Scope[] | undefined,
        expiresAtMs: toMs(expires_at),
        spendCapNano: spend_cap == null ? undefined : parseUsd(spend_cap),
        requestsPerMinute: requests_per_minute ?? undefined,
      });
      return { ...toKeyBody(created), key: created.key };
    },
    async rotateKey(id, { grace_seconds = GRACE_SECONDS } = {}) {
      const created = await administration.rotateKey(actor, id, { graceMs: grace_seconds * 1000 });
      return { ...toKeyBody(created), key: created.key };
    },
    async revokeKey(id) {
      const key = await administration.revokeKey(actor, id);
      // A running server may have cached the key for this time.
      await sleep(KEY_CACHE_MS);
      return toKeyBody(key);
    },
    async getUsage({ from, to, by = 'day,model', account_id: accountId } = {}) {
      const groups = by.split(',') as UsageGroup[];
      const range = usageRange({ from: toMs(from), to: toMs(to), by: groups }, Date.now());
      return toUsageBody(await accounting.usage.sum({ accountId, ...range }), range);
    },
    async verifyLedger() {
      return toLedgerReport(await accounting.ledger.verify());
    },
    async getAudit({ account_id: accountId, from, to, format } = {}) {
      const range = { accountId, fromMs: toMs(from) ?? 0, toMs: toMs(to) ?? Date.now() + 1 };
      const lines = format === 'csv' ? [auditHead()] : [];
      for await (const event of audit.read(range)) {
        lines.push(format === 'csv' ? auditLine(event) : `${JSON.stringify(toAuditBody(event))}\n`);
      }
      return lines.join('');
    },
  };
}

function toMs(time: string | null | undefined): number | undefined {
  return time == null ? undefined : Date.parse(time);
}
