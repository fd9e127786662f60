/** The tables as the queries see them. Times are whole milliseconds since 1970. */
export interface Tables {
  readonly account: AccountTable;
  readonly api_key: ApiKeyTable;
  readonly transcription_job: TranscriptionJobTable;
  readonly transcription_segment: TranscriptionSegmentTable;
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

interface TranscriptionJobTable {
  readonly id: string;
  readonly account_id: string;
  readonly status: string;
  /** JSON: what was asked. */
  readonly options: string;
  /** JSON: how the client wants the answer. */
  readonly view: string;
  readonly created_at: number;
  readonly finished_at: number | null;
  readonly lease_until: number;
  readonly heard_ms: number;
  /** Progress in millionths. */
  readonly fraction_ppm: number;
  readonly attempts: number;
  /** JSON: the whole result. */
  readonly transcript: string | null;
  /** JSON: why it failed. */
  readonly failure: string | null;
}

interface TranscriptionSegmentTable {
  readonly job_id: string;
  readonly position: number;
  /** JSON: one stretch of speech. */
  readonly content: string;
}
