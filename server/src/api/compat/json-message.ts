import { ApiError } from '../../errors.ts';

/** What a message of a socket holds that talks JSON. */
export function parseMessage(message: Buffer): unknown {
  try {
    return JSON.parse(message.toString('utf8'));
  } catch (cause) {
    // The parser's own message would quote the client's.
    throw new ApiError('invalid_body', 'The message is not valid JSON.', { cause });
  }
}
