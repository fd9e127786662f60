import { ApiError } from '../../errors.ts';

/** Maximum nesting depth of a body. Parsing deeper values would block the event loop. */
export const DEPTH_MAX = 64;
/** Maximum number of values in a body: numbers, strings, lists, maps and the keys of maps. A file is one value. */
export const VALUES_MAX = 100_000;

/** The error for a body with more than `VALUES_MAX` values. */
export function createTooManyValuesError(): ApiError {
  return new ApiError('body_too_large', `The body has more than ${VALUES_MAX} values.`);
}

/** The error for a body that is not valid in its encoding. The message of a parser would quote the body. */
export function createMalformedBodyError(encoding: 'JSON' | 'MsgPack', cause?: unknown): ApiError {
  return new ApiError('invalid_body', `Failed to parse the request body as ${encoding}.`, { cause });
}
