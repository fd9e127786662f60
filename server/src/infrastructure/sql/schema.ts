import type { Generated } from 'kysely';
import type { HoldState, TransferKind } from '../../domain/accounts/ledger/ledger.ts';
import type { Service } from '../../domain/accounts/ledger/usage.ts';

/** The tables. Times are integers in milliseconds since 1970, amounts of money integers in nano-dollars. */
export interface Tables {
  readonly voice: VoiceTable;
  readonly voice_use: VoiceUseTable;
  readonly account: AccountTable;
  readonly api_key: ApiKeyTable;
  readonly transcription_job: TranscriptionJobTable;
  readonly transcription_segment: TranscriptionSegmentTable;
  readonly audiobook_job: AudiobookJobTable;
  readonly audiobook_section: AudiobookSectionTable;
  readonly wallet: WalletTable;
  readonly key_meter: KeyMeterTable;
  readonly hold: HoldTable;
  readonly ledger_transfer: LedgerTransferTable;
  readonly usage: UsageTable;
  readonly idempotency: IdempotencyTable;
  readonly audit_event: AuditEventTable;
  readonly dictionary: DictionaryTable;
  readonly dictionary_version: DictionaryVersionTable;
  readonly secret: SecretTable;
  readonly console_session: ConsoleSessionTable;
  readonly account_slot: AccountSlotTable;
  readonly rate_limit: RateLimitTable;
  readonly login_count: LoginCountTable;
  readonly gateway: GatewayTable;
}

interface AccountSlotTable {
  readonly account_id: string;
  readonly kind: string;
  /** From 1 to the limit of the account. */
  readonly number: number;
  /** The server that holds the slot. */
  readonly owner: string;
  readonly expires_at: number;
  /** What the slot uses beside its number, such as bytes of an upload. */
  readonly amount: Generated<number>;
}

interface RateLimitTable {
  readonly key_id: string;
  /** Theoretical arrival time. */
  readonly arrival_at: number;
}

interface LoginCountTable {
  /** `address` or `key`, and the network address or the id of the key. */
  readonly name: string;
  readonly count: number;
  readonly expires_at: number;
}

interface GatewayTable {
  readonly id: string;
  readonly host: string;
  readonly version: string;
  /** JSON object: the settings that must agree, by name. */
  readonly settings: string;
  readonly started_at: number;
  readonly expires_at: number;
}

interface SecretTable {
  readonly name: string;
  /** In hex. */
  readonly value: string;
}

interface ConsoleSessionTable {
  readonly id: string;
  readonly account_id: string;
  readonly key_id: string;
  readonly token_hash: string;
  readonly token_created_at: number;
  readonly previous_hash: string | null;
  readonly source: string;
  readonly user_agent: string;
  readonly created_at: number;
  readonly expires_at: number;
  readonly last_used_at: number;
}

interface AccountTable {
  readonly id: string;
  readonly name: string;
  readonly created_at: number;
  /** JSON array of names. */
  readonly members: Generated<string>;
  readonly concurrency_max: number | null;
  /** 1 when its speech carries a watermark. */
  readonly watermark: Generated<number>;
  readonly deleted_at: number | null;
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
  /** Separated by spaces. */
  readonly scopes: string;
  readonly meter_id: string | null;
  readonly spend_cap: number | null;
  readonly requests_per_minute: number | null;
}

interface WalletTable {
  readonly account_id: string;
  readonly available: number;
  readonly held: number;
  readonly spent: number;
  readonly topped_up: number;
  readonly created_at: number;
  readonly updated_at: number;
}

interface KeyMeterTable {
  readonly id: string;
  readonly held: number;
  readonly spent: number;
}

interface HoldTable {
  readonly id: string;
  readonly account_id: string;
  readonly meter_id: string;
  readonly amount: number;
  readonly settled: Generated<number>;
  readonly state: HoldState;
  readonly created_at: number;
  readonly expires_at: number;
  readonly resolved_at: number | null;
}

interface LedgerTransferTable {
  readonly id: string;
  readonly kind: TransferKind;
  readonly account_id: string;
  /** Ledger account that is debited. */
  readonly from_book: string;
  /** Ledger account that is credited. */
  readonly to_book: string;
  readonly amount: number;
  readonly hold_id: string | null;
  readonly memo: string;
  readonly created_at: number;
}

interface UsageTable {
  readonly id: string;
  readonly account_id: string;
  readonly key_id: string;
  readonly service: Service;
  readonly model: string;
  readonly voice: string;
  readonly units: number;
  readonly cost: number;
  /** UTC, as `2026-11-15`. */
  readonly day: string;
  readonly created_at: number;
}

interface IdempotencyTable {
  readonly account_id: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly state: 'running' | 'done' | 'partial';
  readonly attempt: number;
  readonly lease_until: number;
  /** Identifies the owner of the lease. */
  readonly lease_token: string | null;
  readonly created_at: number;
  readonly status: number | null;
  /** JSON object. */
  readonly headers: string | null;
  readonly body: Buffer | null;
  readonly body_bytes: Generated<number>;
}

interface AuditEventTable {
  readonly id: string;
  readonly created_at: number;
  readonly actor: string;
  readonly source: string;
  readonly action: string;
  readonly account_id: string | null;
  readonly target: string;
  /** JSON object. */
  readonly facts: string;
}

interface TranscriptionJobTable {
  readonly id: string;
  readonly account_id: string;
  readonly status: string;
  /** JSON: the transcription options. */
  readonly options: string;
  /** JSON: the caller, and the response format that it requested. */
  readonly view: string;
  readonly created_at: number;
  readonly finished_at: number | null;
  readonly lease_until: number;
  /** Duration of the transcribed audio. */
  readonly heard_ms: number;
  /** Progress in millionths. */
  readonly fraction_ppm: number;
  readonly attempts: number;
  /** Number of times the job was claimed. Identifies the owner of the lease. */
  readonly claims: Generated<number>;
  /** JSON: the transcript. */
  readonly transcript: string | null;
  /** JSON: the error code and message. */
  readonly failure: string | null;
}

interface TranscriptionSegmentTable {
  readonly job_id: string;
  readonly position: number;
  /** JSON: one segment. */
  readonly content: string;
}

interface AudiobookJobTable {
  readonly id: string;
  readonly account_id: string;
  readonly status: string;
  /** JSON: the caller and the options. */
  readonly request: string;
  /** JSON array: title, size and number of sections of each chapter. */
  readonly chapters: string;
  readonly created_at: number;
  readonly finished_at: number | null;
  readonly lease_until: number;
  readonly attempts: number;
  /** Number of times the job was claimed. Identifies the owner of the lease. */
  readonly claims: number;
  readonly sections_spoken: number;
  /** JSON: the error code and message. */
  readonly failure: string | null;
}

interface AudiobookSectionTable {
  readonly job_id: string;
  readonly position: number;
  /** JSON: duration and loudness of one spoken section. */
  readonly content: string;
}

interface DictionaryTable {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly description: string;
  readonly latest_version_id: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly archived_at: number | null;
}

interface DictionaryVersionTable {
  readonly id: string;
  readonly dictionary_id: string;
  readonly number: number;
  readonly item_count: number;
  /** JSON, see `sql-dictionary-store.ts`. */
  readonly items: string;
  readonly created_at: number;
  readonly archived_at: number | null;
}

interface VoiceTable {
  readonly id: string;
  readonly account_id: string;
  readonly reference_name: string | null;
  readonly title: string;
  readonly description: string;
  readonly visibility: string;
  readonly state: string;
  /** JSON array of strings, like `languages`. */
  readonly tags: string;
  readonly languages: string;
  readonly cover_file: string | null;
  /** JSON: the recordings; `clips` has the verdict on each. */
  readonly samples: string;
  readonly clips: string;
  /** JSON: the engine and its speaker vector. */
  readonly clone: string;
  readonly cloner: string;
  /** End of the lease of the server that trains the voice. */
  readonly training_until: number | null;
  /** `RefinementState`. */
  readonly refinement: Generated<string>;
  /** End of the lease of the server that refines the voice. */
  readonly refinement_until: number | null;
  readonly refinement_attempts: Generated<number>;
  readonly consent_account_id: string;
  readonly consent_key_id: string;
  readonly consent_at: number;
  readonly consent_statement: string;
  readonly created_at: number;
  readonly updated_at: number;
}

interface VoiceUseTable {
  readonly voice_id: string;
  readonly uses: number;
}
