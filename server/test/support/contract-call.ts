/** A request whose answer must be what the OpenAPI document says. */
export interface Call {
  readonly operation: string;
  readonly status: number;
  readonly path: string;
  readonly init?: RequestInit;
  readonly on?: 'loading' | 'paid';
  readonly isBare?: true;
}
