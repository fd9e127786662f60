import type { Transport } from './transport.ts';
import type { CallOptions, Credit, Package, Usage, UsageQuery } from './types.ts';

/** The account behind the key. */
export class Account {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The credit that is left. */
  getCredit(options?: CallOptions): Promise<Credit> {
    return this.#transport.json<Credit>({ method: 'GET', path: '/wallet/self/api-credit' }, options);
  }

  getPackage(options?: CallOptions): Promise<Package> {
    return this.#transport.json<Package>({ method: 'GET', path: '/wallet/self/package' }, options);
  }

  /** What was used, and what it cost. */
  getUsage(query: UsageQuery = {}, options?: CallOptions): Promise<Usage> {
    return this.#transport.json<Usage>({ method: 'GET', path: '/v1/usage', query: { ...query } }, options);
  }

  /** The statement of a month such as `2026-11`, as CSV or as a page to print. */
  async getStatement(month: string, format: 'csv' | 'html' = 'csv', options?: CallOptions): Promise<string> {
    const call = { method: 'GET', path: '/v1/statement', query: { month, format } } as const;
    return (await this.#transport.send(call, options)).text();
  }
}
