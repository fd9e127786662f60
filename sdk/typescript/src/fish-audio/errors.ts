import { ApiError, MynahError, TimeoutError } from '../errors.ts';

/** Status and headers of a response. */
export interface RawResponse {
  readonly headers: Headers;
  readonly status: number;
}

/** An error with the properties of npm `fish-audio`. */
export class FishAudioError extends Error {
  override readonly name: string = 'FishAudioError';
  readonly statusCode?: number | undefined;
  readonly body?: unknown;

  constructor(facts: { message?: string; statusCode?: number | undefined; body?: unknown; cause?: unknown }) {
    super(facts.message, { cause: facts.cause });
    this.statusCode = facts.statusCode;
    this.body = facts.body;
  }
}

/** 400: the request is invalid. */
export class BadRequestError extends FishAudioError {
  override readonly name = 'BadRequestError';
}

/** 401: the key is missing or invalid. */
export class UnauthorizedError extends FishAudioError {
  override readonly name = 'UnauthorizedError';
}

/** 403: the key lacks the scope. */
export class ForbiddenError extends FishAudioError {
  override readonly name = 'ForbiddenError';
}

/** 404: no such voice or route. */
export class NotFoundError extends FishAudioError {
  override readonly name = 'NotFoundError';
}

/** 425: too early. */
export class TooEarlyError extends FishAudioError {
  override readonly name = 'TooEarlyError';
}

/** 422: a field of the request is invalid. */
export class UnprocessableEntityError extends FishAudioError {
  override readonly name = 'UnprocessableEntityError';
}

export class FishAudioTimeoutError extends Error {
  override readonly name = 'FishAudioTimeoutError';
}

/** Converts an error of this library to one of npm `fish-audio`. */
export function toFishAudioError(error: unknown): unknown {
  if (error instanceof TimeoutError) return new FishAudioTimeoutError(error.message, { cause: error });
  if (error instanceof ApiError) {
    const Class = BY_STATUS[error.status] ?? FishAudioError;
    return new Class({ message: error.message, statusCode: error.status, body: error.body, cause: error });
  }
  return error instanceof MynahError ? new FishAudioError({ message: error.message, cause: error }) : error;
}

const BY_STATUS: Readonly<Record<number, typeof FishAudioError>> = {
  400: BadRequestError,
  401: UnauthorizedError,
  403: ForbiddenError,
  404: NotFoundError,
  422: UnprocessableEntityError,
  425: TooEarlyError,
};
