import { toApiError } from '../../wire/error-handler.ts';

/** An error of the realtime protocol, with a code of that protocol. The socket stays open. */
export class RealtimeError extends Error {
  override readonly name = 'RealtimeError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The `error` object of the protocol. */
export interface RealtimeErrorBody {
  readonly type: 'invalid_request_error' | 'server_error';
  readonly code: string;
  readonly message: string;
  readonly param?: null;
}

export function toRealtimeErrorBody(error: unknown): RealtimeErrorBody {
  if (error instanceof RealtimeError) {
    return { type: 'invalid_request_error', code: error.code, message: error.message, param: null };
  }
  const { code, message, status } = toApiError(error);
  return { type: status < 500 ? 'invalid_request_error' : 'server_error', code, message, param: null };
}
