import { ApiError } from '../errors.ts';

/** The error for a book that cannot be read. An error that is one already is kept. */
export function createInvalidBookError(message: string, cause?: unknown): ApiError {
  return cause instanceof ApiError ? cause : new ApiError('invalid_book', message, { cause });
}
