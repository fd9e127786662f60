import { ApiError } from '../../errors.ts';
import { parseJson } from '../bodies/parse-json.ts';

/** Parses a JSON message of a WebSocket. Throws `invalid_body`. */
export function parseJsonMessage(message: Buffer): unknown {
  try {
    return parseJson(message);
  } catch (cause) {
    // The parser's message would quote the client's message.
    throw new ApiError('invalid_body', 'The message is not valid JSON.', { cause });
  }
}
