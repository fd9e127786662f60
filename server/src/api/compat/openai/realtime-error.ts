import { toApiError } from '../../wire/error-handler.ts';

/** What a client is told on a realtime socket, which stays open. The codes are those of the protocol. */
export class RealtimeProblem extends Error {
  override readonly name = 'RealtimeProblem';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** A failure in the words of the protocol. */
export function toRealtimeError(error: unknown) {
  if (error instanceof RealtimeProblem) {
    return { type: 'invalid_request_error', code: error.code, message: error.message, param: null };
  }
  const { code, message, status } = toApiError(error);
  return { type: status < 500 ? 'invalid_request_error' : 'server_error', code, message, param: null };
}
