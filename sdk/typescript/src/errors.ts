/** Anything that goes wrong while talking to the server. */
export class MynahError extends Error {
  override readonly name: string = 'MynahError';
}

/** The server answered with an error. */
export class ApiError extends MynahError {
  override readonly name: string = 'ApiError';
  readonly status: number;
  /** Stable, such as `voice_not_found`; undefined when something between us and the server answered. */
  readonly code: string | undefined;
  /** Names the request in the server's log. */
  readonly requestId: string | undefined;
  /** The answer's body, parsed when it was JSON. */
  readonly body: unknown;

  constructor(answer: {
    readonly status: number;
    readonly message: string;
    readonly code?: string | undefined;
    readonly requestId?: string | undefined;
    readonly body?: unknown;
  }) {
    super(answer.message);
    this.status = answer.status;
    this.code = answer.code;
    this.requestId = answer.requestId;
    this.body = answer.body;
  }
}

/** 400, 413, 415, 422: the request itself is wrong; sending it again will not help. */
export class InvalidRequestError extends ApiError {
  override readonly name = 'InvalidRequestError';
}

/** 401: no key, or one the server does not take. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError';
}

/** 402: the account has too little credit. */
export class InsufficientCreditError extends ApiError {
  override readonly name = 'InsufficientCreditError';
}

/** 403: the key may not do this. */
export class PermissionError extends ApiError {
  override readonly name = 'PermissionError';
}

/** 404: no such voice, job or route. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError';
}

/** 409: it does not fit the present state, such as an idempotency key that was used for something else. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError';
}

/** 429: too much at once. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError';
}

/** 5xx: the server failed or is overloaded. */
export class ServerError extends ApiError {
  override readonly name = 'ServerError';
}

/** The server could not be reached, or the connection broke before the answer was complete. */
export class ConnectionError extends MynahError {
  override readonly name = 'ConnectionError';
}

/** The server ended a live session with an error. */
export class LiveSessionError extends MynahError {
  override readonly name = 'LiveSessionError';
  /** Stable, such as `insufficient_balance`. */
  readonly code: string | undefined;

  constructor(message = 'The server stopped with an error.', code?: string) {
    super(message);
    this.code = code;
  }
}

/** The server took longer than the client was told to wait. */
export class TimeoutError extends MynahError {
  override readonly name = 'TimeoutError';
}

/** What an answer says went wrong, whichever way it came. */
export function errorOf(answer: {
  readonly status: number;
  readonly text: string;
  readonly header: (name: string) => string | null | undefined;
}): ApiError {
  const { status, text, header } = answer;
  const body = parseJson(text);
  const message = (body as { message?: unknown } | undefined)?.message;
  return toApiError({
    status,
    message: typeof message === 'string' ? message : text.slice(0, 200) || `The server answered ${status}.`,
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
export function toApiError(answer: ConstructorParameters<typeof ApiError>[0]): ApiError {
  const { status } = answer;
  if (status >= 500) return new ServerError(answer);
  const Class = BY_STATUS[status] ?? InvalidRequestError;
  return new Class(answer);
}

const BY_STATUS: Readonly<Record<number, typeof ApiError>> = {
  401: AuthenticationError,
  402: InsufficientCreditError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  429: RateLimitError,
};
