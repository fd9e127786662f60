import type { Transport } from './transport.ts';
import type { CallOptions, Credit, Package } from './types.ts';

/** Which usage to tell about. Dates are `YYYY-MM-DD`. */
export interface UsageQuery {
  readonly from?: string;
  readonly to?: string;
  readonly group_by?: string;
}

/** The account behind the key. */
export class Account {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The credit that is left. */
  getCredit(options?: CallOptions): Promise<Credit> {
    return this.#get<Credit>('/wallet/self/api-credit', {}, options);
  }

  getPackage(options?: CallOptions): Promise<Package> {
    return this.#get<Package>('/wallet/self/package', {}, options);
  }

  /** What was used, and what it cost. */
  getUsage(query: UsageQuery = {}, options?: CallOptions): Promise<unknown> {
    return this.#get<unknown>('/v1/usage', { ...query }, options);
  }

  async #get<T>(path: string, query: Record<string, string>, options: CallOptions | undefined): Promise<T> {
    const answer = await this.#transport.send({ method: 'GET', path, query }, options);
    return answer.json<T>();
  }
}
