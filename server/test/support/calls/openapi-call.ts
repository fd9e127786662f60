/** A request whose response must match the OpenAPI document. */
export interface OpenApiCall {
  readonly operation: string;
  readonly status: number;
  readonly path: string;
  readonly init?: RequestInit;
  /** The test server to call; the default one when absent. */
  readonly server?: 'loading' | 'paid';
  /** Send a key without scopes. */
  readonly hasNoScopes?: true;
  /** Send the cookie of a new session in place of the key. */
  readonly hasSession?: true;
}
