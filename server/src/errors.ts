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
  audio_too_short: { status: 400, retryable: false, summary: 'The audio is shorter than what is needed.' },
  audio_too_long: { status: 400, retryable: false, summary: 'The audio is over the length limit.' },
  not_supported: {
    status: 400,
    retryable: false,
    summary: 'The request uses a feature this server does not have.',
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
  not_found: { status: 404, retryable: false, summary: 'No such route.' },
  job_not_found: {
    status: 404,
    retryable: false,
    summary: 'No transcription job of this account has this id.',
  },
  model_not_found: { status: 404, retryable: false, summary: 'No voice model has this id.' },
  method_not_allowed: {
    status: 405,
    retryable: false,
    summary: 'The route exists, but not with this method.',
  },
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
    summary: 'A query parameter of a management route is wrong.',
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
