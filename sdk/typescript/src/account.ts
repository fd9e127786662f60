import type { AdminKey, CreatedKey, NewKey } from './admin.ts';
import type { Transport } from './net/transport.ts';
import type { CallOptions, Credit, Package, Usage, UsageQuery } from './types/index.ts';

/** The account of the API key. */
export class Account {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Returns the remaining credit. */
  getCredit(options?: CallOptions): Promise<Credit> {
    return this.#transport.json<Credit>({ method: 'GET', path: '/wallet/self/api-credit' }, options);
  }

  getPackage(options?: CallOptions): Promise<Package> {
    return this.#transport.json<Package>({ method: 'GET', path: '/wallet/self/package' }, options);
  }

  /** Returns usage and cost. */
  getUsage(query: UsageQuery = {}, options?: CallOptions): Promise<Usage> {
    return this.#transport.json<Usage>({ method: 'GET', path: '/v1/usage', query: { ...query } }, options);
  }

  /** Lists the keys of the account. The API key needs the scope `keys:write`, also for the next three. */
  async listKeys(options?: CallOptions): Promise<readonly AdminKey[]> {
    const call = { method: 'GET', path: '/v1/keys' } as const;
    return (await this.#transport.json<{ items: AdminKey[] }>(call, options)).items;
  }

  createKey(key: Omit<NewKey, 'account_id'>, options?: CallOptions): Promise<CreatedKey> {
    return this.#transport.json({ method: 'POST', path: '/v1/keys', json: key }, options);
  }

  /** Creates a replacement key. The old key stays valid for the grace period. */
  rotateKey(
    id: string,
    rotation: { readonly grace_seconds?: number } = {},
    options?: CallOptions,
  ): Promise<CreatedKey> {
    return this.#transport.json({ method: 'POST', path: `${keyPath(id)}/rotate`, json: rotation }, options);
  }

  revokeKey(id: string, options?: CallOptions): Promise<AdminKey> {
    return this.#transport.json({ method: 'DELETE', path: keyPath(id) }, options);
  }

  /** Returns the statement of a month such as `2026-11`, as CSV or as a printable page. */
  async getStatement(month: string, format: 'csv' | 'html' = 'csv', options?: CallOptions): Promise<string> {
    const call = { method: 'GET', path: '/v1/statement', query: { month, format } } as const;
    return (await this.#transport.send(call, options)).text();
  }
}

function keyPath(id: string): string {
  return `/v1/keys/${encodeURIComponent(id)}`;
}
