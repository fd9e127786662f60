import type { Transport } from './transport.ts';
import type { CallOptions, Credit, Package, Usage, UsageQuery } from './types.ts';

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

  /** Returns the statement of a month such as `2026-11`, as CSV or as a printable page. */
  async getStatement(month: string, format: 'csv' | 'html' = 'csv', options?: CallOptions): Promise<string> {
    const call = { method: 'GET', path: '/v1/statement', query: { month, format } } as const;
    return (await this.#transport.send(call, options)).text();
  }
}
