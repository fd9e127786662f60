import type { Transport } from './net/transport.ts';
import type { CallOptions, Usage, UsageQuery } from './types/index.ts';

/** An account and its balance in US dollars, as decimal strings. */
export interface AdminAccount {
  readonly id: string;
  readonly name: string;
  readonly members: readonly string[];
  /** Concurrency limit; null: the limit of the tier. */
  readonly concurrency_max: number | null;
  /** Whether its speech has a watermark. */
  readonly watermark: boolean;
  readonly wallet: {
    readonly available: string;
    readonly held: string;
    readonly spent: string;
    readonly topped_up: string;
  };
  readonly created_at: string;
  readonly deleted_at: string | null;
}

export interface AccountChange {
  readonly name?: string;
  readonly members?: readonly string[];
  readonly concurrency_max?: number | null;
  readonly watermark?: boolean;
}

/** A change of credit. A repeated `id` has no further effect. Only an adjustment may be negative. */
export interface CreditBooking {
  readonly kind: 'top_up' | 'adjustment' | 'refund';
  /** US dollars, as a decimal string. */
  readonly usd: string;
  readonly id?: string | undefined;
  readonly memo?: string | undefined;
}

export interface AdminKey {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  /** The public prefix of the key. */
  readonly prefix: string;
  readonly scopes: readonly string[];
  readonly spend_cap: string | null;
  readonly requests_per_minute: number | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly last_used_at: string | null;
}

/** A new key with its secret, which is returned only once. */
export interface CreatedKey extends AdminKey {
  readonly key: string;
}

export interface KeyChange {
  readonly name?: string;
  readonly scopes?: readonly string[] | undefined;
  readonly expires_at?: string | null;
  readonly spend_cap?: string | null;
  readonly requests_per_minute?: number | null;
}

export interface NewKey extends KeyChange {
  readonly account_id: string;
  readonly name: string;
}

export interface LedgerReport {
  readonly is_balanced: boolean;
  readonly accounts: number;
  readonly transfers: number;
  readonly open_holds: number;
  readonly charged: string;
  readonly problems: readonly string[];
}

/** A download or verification of a model. */
export interface ModelJob {
  readonly kind: 'pull' | 'verify';
  readonly state: 'waiting' | 'running' | 'finished' | 'failed';
  readonly received_bytes?: number | undefined;
  readonly total_bytes?: number | undefined;
  /** Damaged files that a verification has found and deleted. */
  readonly problems: readonly string[];
  readonly message?: string | undefined;
}

/** A model of the catalogue and its state on disk. */
export interface ManagedModel {
  readonly id: string;
  readonly title: string;
  readonly task: 'tts' | 'asr' | 'lexicon';
  readonly languages: readonly string[];
  readonly licence: string;
  readonly is_default: boolean;
  readonly state: 'installed' | 'incomplete' | 'absent';
  readonly size_bytes: number | null;
  readonly installed_at: string | null;
  readonly job: ModelJob | null;
}

/** Load, queues and nodes of the cluster. */
export interface ServerStatus {
  readonly load: {
    readonly streams: number;
    /** Utilisation of the speech workers, 0 to 1. */
    readonly utilisation: number;
    readonly transcriptions: number;
  };
  readonly queues: {
    readonly capacity: number;
    readonly first_audio: number;
    readonly admission: number;
  };
  readonly gateways: readonly {
    readonly id: string;
    readonly host: string;
    readonly version: string;
    readonly started_at: string;
    readonly is_self: boolean;
  }[];
  readonly workers: readonly {
    readonly id: string;
    readonly version: string;
    readonly state: 'ready' | 'draining' | 'incompatible';
    readonly work: readonly {
      readonly kind: string;
      readonly slots: number;
      readonly open_tasks: number;
      readonly engines: readonly string[];
    }[];
  }[];
}

/** Administration of accounts, keys and the ledger. The API key needs the scope `admin`. */
export class Admin {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async listAccounts(options?: CallOptions): Promise<readonly AdminAccount[]> {
    return (await this.#get<{ items: AdminAccount[] }>('/accounts', {}, options)).items;
  }

  getAccount(id: string, options?: CallOptions): Promise<AdminAccount> {
    return this.#get(accountPath(id), {}, options);
  }

  createAccount(
    account: AccountChange & { readonly name: string },
    options?: CallOptions,
  ): Promise<AdminAccount> {
    return this.#send('POST', '/accounts', account, options);
  }

  updateAccount(id: string, change: AccountChange, options?: CallOptions): Promise<AdminAccount> {
    return this.#send('PATCH', accountPath(id), change, options);
  }

  /** Revokes its keys and permanently deletes its voices, audio and texts. Ledger entries remain. */
  deleteAccount(id: string, options?: CallOptions): Promise<AdminAccount> {
    return this.#send('DELETE', accountPath(id), undefined, options);
  }

  /** Tops up, adjusts or refunds credit. */
  bookCredit(id: string, booking: CreditBooking, options?: CallOptions): Promise<AdminAccount> {
    return this.#send('POST', `${accountPath(id)}/credit`, booking, options);
  }

  /** Returns the statement of a month such as `2026-11`, as CSV or as a printable page. */
  getStatement(
    id: string,
    month: string,
    format: 'csv' | 'html' = 'csv',
    options?: CallOptions,
  ): Promise<string> {
    return this.#text(`${accountPath(id)}/statement`, { month, format }, options);
  }

  async listKeys(
    query: { readonly account_id?: string } = {},
    options?: CallOptions,
  ): Promise<readonly AdminKey[]> {
    return (await this.#get<{ items: AdminKey[] }>('/keys', query, options)).items;
  }

  createKey(key: NewKey, options?: CallOptions): Promise<CreatedKey> {
    return this.#send('POST', '/keys', key, options);
  }

  updateKey(id: string, change: KeyChange, options?: CallOptions): Promise<AdminKey> {
    return this.#send('PATCH', keyPath(id), change, options);
  }

  /** Creates a replacement key. The old key stays valid for the grace period. */
  rotateKey(
    id: string,
    rotation: { readonly grace_seconds?: number } = {},
    options?: CallOptions,
  ): Promise<CreatedKey> {
    return this.#send('POST', `${keyPath(id)}/rotate`, rotation, options);
  }

  revokeKey(id: string, options?: CallOptions): Promise<AdminKey> {
    return this.#send('DELETE', keyPath(id), undefined, options);
  }

  getUsage(query: UsageQuery & { readonly account_id?: string } = {}, options?: CallOptions): Promise<Usage> {
    return this.#get('/usage', { ...query }, options);
  }

  /** Recomputes every balance and verifies the ledger. */
  verifyLedger(options?: CallOptions): Promise<LedgerReport> {
    return this.#get('/ledger', {}, options);
  }

  /** Returns the audit log, one event per line. */
  getAudit(
    query: {
      readonly account_id?: string;
      readonly from?: string;
      readonly to?: string;
      readonly format?: 'jsonl' | 'csv';
    } = {},
    options?: CallOptions,
  ): Promise<string> {
    return this.#text('/audit', query, options);
  }

  getStatus(options?: CallOptions): Promise<ServerStatus> {
    return this.#get('/status', {}, options);
  }

  async listModels(options?: CallOptions): Promise<readonly ManagedModel[]> {
    return (await this.#get<{ items: ManagedModel[] }>('/models', {}, options)).items;
  }

  /** Starts the download of a model. `listModels` shows its progress. */
  pullModel(id: string, options?: CallOptions): Promise<ManagedModel> {
    return this.#send('POST', `/models/${encodeURIComponent(id)}/pull`, undefined, options);
  }

  /** Starts the comparison of the hashes of all files of a model. `listModels` shows the result. */
  verifyModel(id: string, options?: CallOptions): Promise<ManagedModel> {
    return this.#send('POST', `/models/${encodeURIComponent(id)}/verify`, undefined, options);
  }

  #get<T>(path: string, query: Record<string, string>, options: CallOptions | undefined): Promise<T> {
    return this.#transport.json<T>({ method: 'GET', path: `/v1/admin${path}`, query }, options);
  }

  #send<T>(
    method: 'POST' | 'PATCH' | 'DELETE',
    path: string,
    json: object | undefined,
    options: CallOptions | undefined,
  ): Promise<T> {
    return this.#transport.json<T>({ method, path: `/v1/admin${path}`, json }, options);
  }

  async #text(
    path: string,
    query: Record<string, string>,
    options: CallOptions | undefined,
  ): Promise<string> {
    return (await this.#transport.send({ method: 'GET', path: `/v1/admin${path}`, query }, options)).text();
  }
}

function accountPath(id: string): string {
  return `/accounts/${encodeURIComponent(id)}`;
}

function keyPath(id: string): string {
  return `/keys/${encodeURIComponent(id)}`;
}
