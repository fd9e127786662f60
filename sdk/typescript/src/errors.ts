/** The base class of all errors of this library. */
export class MynahError extends Error {
  override readonly name: string = 'MynahError';
}

/** An error response of the server. */
export class ApiError extends MynahError {
  override readonly name: string = 'ApiError';
  readonly status: number;
  /** Stable error code, such as `voice_not_found`; undefined when a proxy sent the response. */
  readonly code: string | undefined;
  /** Identifies the request in the server's log. */
  readonly requestId: string | undefined;
  /** The response body, parsed when it is JSON. */
  readonly body: unknown;

  constructor(response: {
    readonly status: number;
    readonly message: string;
    readonly code?: string | undefined;
    readonly requestId?: string | undefined;
    readonly body?: unknown;
  }) {
    super(response.message);
    this.status = response.status;
    this.code = response.code;
    this.requestId = response.requestId;
    this.body = response.body;
  }
}

/** 400, 413, 415, 422: the request is invalid; a retry does not help. */
export class InvalidRequestError extends ApiError {
  override readonly name = 'InvalidRequestError';
}

/** 401: the key is missing or invalid. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError';
}

/** 402: insufficient credit. */
export class InsufficientCreditError extends ApiError {
  override readonly name = 'InsufficientCreditError';
}

/** 403: the key lacks the scope. */
export class PermissionError extends ApiError {
  override readonly name = 'PermissionError';
}

/** 404: no such voice, job or route. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError';
}

/** 409: a conflict with the current state, such as an idempotency key that was used for another request. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError';
}

/** 429: a rate or concurrency limit. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError';
}

/** 5xx: the server failed or is overloaded. */
export class ServerError extends ApiError {
  override readonly name = 'ServerError';
}

/** The server could not be reached, or the connection broke before the response was complete. */
export class ConnectionError extends MynahError {
  override readonly name = 'ConnectionError';
}

/** The server ended a live session with an error. */
export class LiveSessionError extends MynahError {
  override readonly name = 'LiveSessionError';
  /** Stable error code, such as `insufficient_balance`. */
  readonly code: string | undefined;

  constructor(message = 'The server ended the session with an error.', code?: string) {
    super(message);
    this.code = code;
  }
}

/** The server did not respond within the timeout. */
export class TimeoutError extends MynahError {
  override readonly name = 'TimeoutError';
}

/** The error of a response, from `fetch` or a rejected WebSocket handshake. */
export function errorOf(response: {
  readonly status: number;
  readonly text: string;
  readonly header: (name: string) => string | null | undefined;
}): ApiError {
  const { status, text, header } = response;
  const body = parseJson(text);
  const message = (body as { message?: unknown } | undefined)?.message;
  return toApiError({
    status,
    message:
      typeof message === 'string'
        ? message
        : text.slice(0, 200) || `The server responded with status ${status}.`,
    code: header('x-fish-error-code') ?? undefined,
    requestId: header('x-fish-trace-id') ?? undefined,
    body: body ?? text,
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The error class for a status. */
export function toApiError(response: ConstructorParameters<typeof ApiError>[0]): ApiError {
  const { status } = response;
  if (status >= 500) return new ServerError(response);
  const Class = BY_STATUS[status] ?? InvalidRequestError;
  return new Class(response);
}

const BY_STATUS: Readonly<Record<number, typeof ApiError>> = {
  401: AuthenticationError,
  402: InsufficientCreditError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  429: RateLimitError,
};
