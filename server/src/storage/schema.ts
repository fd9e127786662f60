/** The tables as the queries see them. Times are whole milliseconds since 1970. */
export interface Tables {
  readonly account: AccountTable;
  readonly api_key: ApiKeyTable;
}

interface AccountTable {
  readonly id: string;
  readonly name: string;
  readonly created_at: number;
}

interface ApiKeyTable {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly prefix: string;
  readonly hash: string;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
  readonly last_used_at: number | null;
}
