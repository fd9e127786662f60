import { ApiError } from '../../errors.ts';

/** Parses a JSON message of a WebSocket. */
export function parseJsonMessage(message: Buffer): unknown {
  try {
    return JSON.parse(message.toString('utf8'));
  } catch (cause) {
    // The parser's message would quote the client's message.
    throw new ApiError('invalid_body', 'The message is not valid JSON.', { cause });
  }
}
