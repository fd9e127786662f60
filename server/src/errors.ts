/**
 * Every error that a client can receive, by its stable code. The code is sent as `x-fish-error-code` and never
 * changes after its release. `docs/reference/errors.md` is generated from this table.
 */
export const ERRORS = {
  invalid_request: {
    status: 400,
    retryable: false,
    summary: 'The body or a parameter is not valid.',
  },
  invalid_body: { status: 400, retryable: false, summary: 'The body is not valid in its encoding.' },
  voice_not_found: { status: 400, retryable: false, summary: 'No voice has the given `reference_id`.' },
  speaker_without_voice: {
    status: 400,
    retryable: false,
    summary: 'The text contains a speaker that has no voice in the list `reference_id`.',
  },
  sample_rate_not_supported: {
    status: 400,
    retryable: false,
    summary: 'The format does not support this sample rate.',
  },
  language_not_supported: {
    status: 400,
    retryable: false,
    summary:
      'The text is in a script that no installed voice supports, or in a language that the voice does not speak.',
  },
  nothing_to_speak: {
    status: 400,
    retryable: false,
    summary: 'The text contains nothing to speak: only punctuation, emoji or cues.',
  },
  invalid_audio: {
    status: 400,
    retryable: false,
    summary: 'The audio cannot be decoded: it is damaged, empty, or not audio.',
  },
  unusable_recording: {
    status: 400,
    retryable: false,
    summary: 'None of the recordings is suitable for cloning; the message gives the reason.',
  },
  audio_too_short: { status: 400, retryable: false, summary: 'The audio is shorter than the minimum.' },
  audio_too_long: { status: 400, retryable: false, summary: 'The audio is longer than the maximum.' },
  audio_too_costly: {
    status: 400,
    retryable: false,
    summary: 'The audio has too many samples, or its transcription takes too much CPU time.',
  },
  not_supported: {
    status: 400,
    retryable: false,
    summary: 'The request uses a feature that this server does not support.',
  },
  invalid_ssml: {
    status: 400,
    retryable: false,
    summary: 'The text is an invalid SSML document, or uses SSML that this server does not support.',
  },
  text_not_synthesizable: {
    status: 400,
    retryable: false,
    summary:
      'The engine failed or exceeded its time limit repeatedly on this text. The text is refused for `MYNAH_FAILING_TEXT_SECONDS`.',
  },
  audio_not_transcribable: {
    status: 400,
    retryable: false,
    summary:
      'Several server processes ended while they transcribed this recording, none of them with progress. The job is not tried again.',
  },
  invalid_book: {
    status: 400,
    retryable: false,
    summary:
      'The book cannot be read: it is damaged, protected, too large when unpacked, not UTF-8, or without text.',
  },
  invalid_captions: {
    status: 400,
    retryable: false,
    summary:
      'The captions are not SubRip or WebVTT, have no text, or exceed a limit; the message names the caption.',
  },
  invalid_phonemes: {
    status: 400,
    retryable: false,
    summary: 'A phoneme span or a dictionary entry contains an unknown phoneme.',
  },
  invalid_api_key: {
    status: 401,
    retryable: false,
    summary: 'The key is missing, unknown, expired or revoked.',
  },
  invalid_login_link: {
    status: 401,
    retryable: false,
    summary: 'The login link of the web console is unknown, was used before, or has expired.',
  },
  insufficient_balance: {
    status: 402,
    retryable: false,
    summary: 'The account has too little credit. Only with prepaid billing.',
  },
  spend_cap_reached: { status: 402, retryable: false, summary: 'The key has reached its spend cap.' },
  insufficient_scope: {
    status: 403,
    retryable: false,
    summary: 'The key lacks the scope that the route requires.',
  },
  cross_site_request: {
    status: 403,
    retryable: false,
    summary: 'A request with a session cookie, or in open mode a WebSocket, came from another site.',
  },
  not_yours: { status: 403, retryable: false, summary: 'The resource belongs to another account.' },
  not_found: { status: 404, retryable: false, summary: 'The route does not exist.' },
  job_not_found: {
    status: 404,
    retryable: false,
    summary: 'No job of this account has this id.',
  },
  account_not_found: { status: 404, retryable: false, summary: 'No account has this id, or it was deleted.' },
  key_not_found: { status: 404, retryable: false, summary: 'No API key has this id, or it is revoked.' },
  session_not_found: {
    status: 404,
    retryable: false,
    summary: 'The account has no session of the web console with this id.',
  },
  model_not_found: {
    status: 404,
    retryable: false,
    summary: 'No voice, or no model of the catalogue, has this id.',
  },
  dictionary_not_found: {
    status: 404,
    retryable: false,
    summary: 'The account has no pronunciation dictionary, or no version of it, with this id.',
  },
  live_protocol: {
    status: 400,
    retryable: false,
    summary: 'A frame of a live socket is unknown or out of order.',
  },
  live_silence: {
    status: 408,
    retryable: false,
    summary: 'A live session received nothing for too long.',
  },
  body_timeout: { status: 408, retryable: true, summary: 'The body did not arrive in time.' },
  slow_reader: {
    status: 408,
    retryable: false,
    summary: 'The client read the audio far below real time for too long.',
  },
  upgrade_required: { status: 426, retryable: false, summary: 'The route is a WebSocket.' },
  method_not_allowed: {
    status: 405,
    retryable: false,
    summary: 'The route does not support this method.',
  },
  booking_id_reused: {
    status: 409,
    retryable: false,
    summary: 'The id of this transfer was used before with other values.',
  },
  amount_not_possible: {
    status: 409,
    retryable: false,
    summary: 'The balance would become negative, or exceed the maximum.',
  },
  idempotency_in_progress: {
    status: 409,
    retryable: true,
    summary: 'The first request with this `Idempotency-Key` is still running.',
  },
  idempotency_outcome_gone: {
    status: 409,
    retryable: false,
    summary:
      'The request with this `Idempotency-Key` was completed and charged, but its response is no longer stored.',
  },
  job_state: {
    status: 409,
    retryable: false,
    summary: 'The job is not in a state that allows this: its audio is not complete, or it has ended.',
  },
  dictionary_conflict: {
    status: 409,
    retryable: false,
    summary: 'Another version was published in the meantime, or the version cannot be archived.',
  },
  dictionary_limit: {
    status: 409,
    retryable: false,
    summary:
      'The account has the maximum number of dictionaries, or the dictionary the maximum number of versions.',
  },
  model_jobs_full: {
    status: 429,
    retryable: true,
    summary: 'Too many downloads and verifications of models are waiting.',
  },
  key_limit: {
    status: 409,
    retryable: false,
    summary: 'The account has the maximum number of valid API keys.',
  },
  voice_limit: { status: 409, retryable: false, summary: 'The account has the maximum number of voices.' },
  reference_exists: { status: 409, retryable: false, summary: 'A voice with this name exists.' },
  body_too_large: { status: 413, retryable: false, summary: 'The body exceeds the size limit.' },
  request_too_large: {
    status: 413,
    retryable: false,
    summary: 'The recording, or another field of the form, exceeds the size limit.',
  },
  too_many_cues: { status: 413, retryable: false, summary: 'The text contains too many cues.' },
  text_too_long: { status: 413, retryable: false, summary: 'The text exceeds the length limit.' },
  unsupported_media_type: {
    status: 415,
    retryable: false,
    summary: 'The route does not accept this content type, or the audio format needs ffmpeg on the server.',
  },
  invalid_parameter: {
    status: 422,
    retryable: false,
    summary: 'A field or a parameter of a management route is not valid.',
  },
  idempotency_key_reused: {
    status: 422,
    retryable: false,
    summary: 'This `Idempotency-Key` was used for another request.',
  },
  concurrency_exceeded: {
    status: 429,
    retryable: true,
    summary: 'The account has reached its concurrency limit, and this request timed out in the queue.',
  },
  rate_limited: { status: 429, retryable: true, summary: 'The key has sent too many requests in a minute.' },
  too_many_logins: {
    status: 429,
    retryable: true,
    summary: 'Too many failed logins to the web console from this address, or too many logins with this key.',
  },
  too_many_uploads: {
    status: 429,
    retryable: true,
    summary: 'The account has too many uploads in progress, or too many bytes in them.',
  },
  too_many_connections: {
    status: 429,
    retryable: true,
    summary: 'Too many live connections are open.',
  },
  job_limit: {
    status: 429,
    retryable: true,
    summary: 'The account has the maximum number of running and queued jobs.',
  },
  idempotency_limit: {
    status: 429,
    retryable: true,
    summary:
      'The account has the maximum number of retained idempotency keys, or too many of its stored responses are being sent.',
  },
  queue_full: {
    status: 429,
    retryable: true,
    summary: 'Too many requests are queued; retry after `Retry-After`.',
  },
  internal: {
    status: 500,
    retryable: true,
    summary: 'An unexpected error of the server. The log has the details under the trace id.',
  },
  cloning_unavailable: {
    status: 501,
    retryable: false,
    summary: 'This server has no engine for voice cloning.',
  },
  engine_failed: { status: 503, retryable: true, summary: 'The engine failed before it produced audio.' },
  engine_unavailable: {
    status: 503,
    retryable: true,
    summary: 'The engine is loading, its model is not installed yet, or it fails repeatedly.',
  },
  shutting_down: { status: 503, retryable: true, summary: 'The server is shutting down.' },
  storage_unavailable: {
    status: 503,
    retryable: true,
    summary:
      'A file cannot be written or read: the disk of the server is full, read-only or faulty, or the file storage is not available.',
  },
  database_unavailable: {
    status: 503,
    retryable: true,
    summary: 'The database is not available; retry after `Retry-After`.',
  },
} as const satisfies Record<string, { status: number; retryable: boolean; summary: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** One invalid field, in the format of the management routes. */
export interface ErrorDetail {
  readonly loc: readonly (string | number)[];
  readonly type: string;
  readonly msg: string;
  readonly in: 'body' | 'query' | 'path' | 'header';
}

/** An expected failure. Any other error is a bug, and the client gets `internal`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly detail: readonly ErrorDetail[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { detail?: readonly ErrorDetail[]; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.detail = options.detail;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

const STORAGE_FAULTS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  EACCES: 'access is denied',
  EPERM: 'access is denied',
  EIO: 'the disk reports an error',
  ENOTDIR: 'a part of the path is a file',
  ENOTSUP: 'the file system does not allow new folders',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
};

/** System calls on files, as opposed to processes and sockets. */
const FILE_CALLS: ReadonlySet<string> = new Set([
  'open',
  'read',
  'write',
  'fsync',
  'close',
  'mkdir',
  'rename',
  'unlink',
  'rm',
  'rmdir',
  'scandir',
  'stat',
  'access',
]);

/** Whether an error is a fault of the file system, as opposed to a missing or existing file. */
export function isStorageFault(error: unknown): error is NodeJS.ErrnoException & { readonly code: string } {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  return code !== undefined && FILE_CALLS.has(syscall ?? '') && Object.hasOwn(STORAGE_FAULTS, code);
}

/** The fault in words, with its code. */
export function storageFault({ code }: { readonly code: string }): string {
  return `${STORAGE_FAULTS[code] ?? 'the operation failed'} (${code})`;
}
