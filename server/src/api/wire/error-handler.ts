import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, isStorageFault, storageFault } from '../../errors.ts';
import { REQUEST_ID_HEADER, TRACE_HEADER } from './trace.ts';

/** Clients should repeat a request after this time when a file cannot be written. */
const STORAGE_RETRY_AFTER_SECONDS = 30;

function describeFailure(error: unknown): string {
  return isStorageFault(error) ? `A file cannot be written: ${storageFault(error)}.` : 'request failed';
}

type ErrorSender = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;

/** Makes an error handler that responds with the body that `bodyOf` gives. */
export function errorSender(bodyOf: (error: ApiError, request: FastifyRequest) => object): ErrorSender {
  return (error, request, reply) => {
    // No error response can be sent any more.
    if (reply.raw.destroyed || reply.raw.headersSent) {
      reply.raw.destroy();
      return;
    }
    const known = toApiError(error);
    if (known.status >= 500) request.log.error({ err: error, code: known.code }, describeFailure(error));

    // Fastify closes the connection after an invalid body; a client that is still sending would miss the response.
    if (reply.hasHeader('connection')) reply.removeHeader('connection');
    // The connection of a refused WebSocket ends; without the header, clients put it back into their pool.
    if (request.ws) reply.header('connection', 'close');
    reply
      .code(known.status)
      .header(TRACE_HEADER, request.id)
      .header(REQUEST_ID_HEADER, request.id)
      .headers(errorHeaders(known))
      .type('application/json; charset=utf-8')
      .send(bodyOf(known, request));
  };
}

/** The error handler of the native routes. */
export const sendError: ErrorSender = errorSender(errorBody);

/** The JSON body of an error response. */
export function errorBody(error: ApiError) {
  const { status, message, detail } = error;
  return { status, message, ...(detail && { detail: [...detail] }) };
}

/** The headers of an error response: stable code, source, and when to retry. */
export function errorHeaders(error: ApiError): Record<string, string> {
  return {
    'x-fish-error-code': error.code,
    'x-fish-error-source': error.status < 500 ? 'client' : 'server',
    ...(error.retryAfterSeconds !== undefined && {
      'retry-after': String(Math.ceil(error.retryAfterSeconds)),
    }),
  };
}

/** The error as the client gets it. An unexpected one becomes `internal`, without its message. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isStorageFault(error)) {
    return new ApiError('storage_unavailable', 'The server cannot write to its disk.', {
      retryAfterSeconds: STORAGE_RETRY_AFTER_SECONDS,
      cause: error,
    });
  }
  switch ((error as Partial<FastifyError> | null)?.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError('body_too_large', 'The request body is too large.', { cause: error });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_EMPTY_TYPE':
      return new ApiError(
        'unsupported_media_type',
        'Unsupported content type. Send `application/json` or `application/msgpack`.',
        { cause: error },
      );
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new ApiError('invalid_body', 'The body is shorter than its Content-Length.', { cause: error });
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new ApiError('not_found', 'A parameter of the path is too long.', { cause: error });
    case 'FST_ERR_BAD_URL':
      return new ApiError('invalid_request', 'The path is not a valid URL path.', { cause: error });
    case 'ECONNRESET':
    case 'ERR_STREAM_PREMATURE_CLOSE':
      return new ApiError('invalid_body', 'The body ended early.', { cause: error });
    default:
      return new ApiError('internal', 'Something went wrong on the server.', { cause: error });
  }
}
