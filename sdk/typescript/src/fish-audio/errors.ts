import { ApiError, MynahError, TimeoutError } from '../errors.ts';

/** What an answer said beside its body. */
export interface RawResponse {
  readonly headers: Headers;
  readonly status: number;
}

/** An error with the shape that programs written for npm `fish-audio` look for. */
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

/** 400: the request is wrong. */
export class BadRequestError extends FishAudioError {
  override readonly name = 'BadRequestError';
}

/** 401: no key, or one the server does not take. */
export class UnauthorizedError extends FishAudioError {
  override readonly name = 'UnauthorizedError';
}

/** 403: the key may not do this. */
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

/** 422: a field of the request is wrong. */
export class UnprocessableEntityError extends FishAudioError {
  override readonly name = 'UnprocessableEntityError';
}

export class FishAudioTimeoutError extends Error {
  override readonly name = 'FishAudioTimeoutError';
}

/** One of our errors as this surface knows it. */
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
