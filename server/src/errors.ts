/**
 * Every failure a client can see. The key is the stable code, sent as `x-fish-error-code`; it never
 * changes once released. `docs/reference/errors.md` lists all of them, and a test checks that it does.
 */
export const ERRORS = {
  invalid_request: {
    status: 400,
    retryable: false,
    summary: 'The body or a parameter is not what the route takes.',
  },
  invalid_body: { status: 400, retryable: false, summary: 'The body is not valid JSON or MessagePack.' },
  voice_not_found: { status: 400, retryable: false, summary: 'No voice has the given `reference_id`.' },
  speaker_without_voice: {
    status: 400,
    retryable: false,
    summary: 'The text names a speaker for whom the list in `reference_id` has no voice.',
  },
  sample_rate_not_supported: {
    status: 400,
    retryable: false,
    summary: 'The format cannot carry this sample rate.',
  },
  language_not_supported: {
    status: 400,
    retryable: false,
    summary: 'The text is in a script no installed voice can read.',
  },
  nothing_to_speak: {
    status: 400,
    retryable: false,
    summary: 'The text has nothing that can be spoken: only punctuation, emoji or cues.',
  },
  invalid_audio: {
    status: 400,
    retryable: false,
    summary: 'The audio cannot be decoded: damaged, empty, or no audio at all.',
  },
  unusable_recording: {
    status: 400,
    retryable: false,
    summary: 'None of the recordings will do for a voice; the message says why.',
  },
  audio_too_short: { status: 400, retryable: false, summary: 'The audio is shorter than what is needed.' },
  audio_too_long: { status: 400, retryable: false, summary: 'The audio is over the length limit.' },
  not_supported: {
    status: 400,
    retryable: false,
    summary: 'The request uses a feature this server does not have.',
  },
  invalid_ssml: {
    status: 400,
    retryable: false,
    summary: 'The text is an SSML document with a fault, or with something this server does not speak.',
  },
  invalid_phonemes: {
    status: 400,
    retryable: false,
    summary: 'A phoneme span or a dictionary entry gives a sound that cannot be read.',
  },
  invalid_api_key: {
    status: 401,
    retryable: false,
    summary: 'The key is missing, unknown, expired or revoked.',
  },
  insufficient_balance: {
    status: 402,
    retryable: false,
    summary: 'The account has too little credit. Only on servers that take money.',
  },
  spend_cap_reached: { status: 402, retryable: false, summary: 'The key has spent all it may spend.' },
  insufficient_scope: {
    status: 403,
    retryable: false,
    summary: 'The key may not do this: it lacks a scope.',
  },
  not_yours: { status: 403, retryable: false, summary: 'This belongs to another account.' },
  not_found: { status: 404, retryable: false, summary: 'No such route.' },
  job_not_found: {
    status: 404,
    retryable: false,
    summary: 'No transcription job of this account has this id.',
  },
  account_not_found: { status: 404, retryable: false, summary: 'No account has this id, or it was deleted.' },
  key_not_found: { status: 404, retryable: false, summary: 'No API key has this id, or it is revoked.' },
  model_not_found: { status: 404, retryable: false, summary: 'No voice model has this id.' },
  dictionary_not_found: {
    status: 404,
    retryable: false,
    summary: 'The account has no pronunciation dictionary, or no version of it, with this id.',
  },
  live_protocol: {
    status: 400,
    retryable: false,
    summary: 'A frame of a live socket is unknown, or came out of order.',
  },
  live_silence: {
    status: 408,
    retryable: false,
    summary: 'Nothing came on a live session for too long.',
  },
  upgrade_required: { status: 426, retryable: false, summary: 'The route is a WebSocket.' },
  method_not_allowed: {
    status: 405,
    retryable: false,
    summary: 'The route exists, but not with this method.',
  },
  booking_id_reused: {
    status: 409,
    retryable: false,
    summary: 'The id of this booking was used before, for something else.',
  },
  amount_not_possible: {
    status: 409,
    retryable: false,
    summary: 'The account does not have this much, or cannot have this much.',
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
      'The request with this `Idempotency-Key` was answered and charged, but its answer is no longer kept.',
  },
  dictionary_conflict: {
    status: 409,
    retryable: false,
    summary: 'Another version was published meanwhile, or the version cannot be archived.',
  },
  dictionary_limit: {
    status: 409,
    retryable: false,
    summary: 'The account has as many dictionaries, or the dictionary as many versions, as it may have.',
  },
  reference_exists: { status: 409, retryable: false, summary: 'A voice has this name already.' },
  body_too_large: { status: 413, retryable: false, summary: 'The body is over the size limit.' },
  request_too_large: {
    status: 413,
    retryable: false,
    summary: 'The recording, or another field of the form, is over the size limit.',
  },
  text_too_long: { status: 413, retryable: false, summary: 'The text is over the length limit.' },
  unsupported_media_type: {
    status: 415,
    retryable: false,
    summary: 'The route does not take this content type, or the audio’s format needs ffmpeg on the server.',
  },
  invalid_parameter: {
    status: 422,
    retryable: false,
    summary: 'A field or a parameter of a management route is wrong.',
  },
  idempotency_key_reused: {
    status: 422,
    retryable: false,
    summary: 'This `Idempotency-Key` was used for another request.',
  },
  concurrency_exceeded: {
    status: 429,
    retryable: true,
    summary:
      'The account has as many requests in work as it may have, and this one waited in vain for its turn.',
  },
  rate_limited: { status: 429, retryable: true, summary: 'The key has sent too many requests in a minute.' },
  too_many_connections: {
    status: 429,
    retryable: true,
    summary: 'Too many live connections are open.',
  },
  queue_full: {
    status: 429,
    retryable: true,
    summary: 'Too many requests are waiting; `Retry-After` says when to come back.',
  },
  internal: {
    status: 500,
    retryable: true,
    summary: 'A fault of the server. It is in the server’s log under the trace id.',
  },
  cloning_unavailable: {
    status: 501,
    retryable: false,
    summary: 'This server has no engine that clones voices.',
  },
  engine_failed: { status: 503, retryable: true, summary: 'The engine failed before it produced audio.' },
  engine_unavailable: {
    status: 503,
    retryable: true,
    summary: 'The engine is loading, its model is not here yet, or it keeps failing.',
  },
  shutting_down: { status: 503, retryable: true, summary: 'The server is stopping and takes no new work.' },
} as const satisfies Record<string, { status: number; retryable: boolean; summary: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** One field that was refused, in the shape clients of management routes know. */
export interface ErrorDetail {
  readonly loc: readonly (string | number)[];
  readonly type: string;
  readonly msg: string;
  readonly in: 'body' | 'query' | 'path' | 'header';
}

/** An expected failure. Anything else that is thrown is a bug and answers `internal`. */
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
