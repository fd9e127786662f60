import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { errorHeaders, toApiError } from '../error-handler.ts';
import { TRACE_HEADER } from '../plugins/trace.ts';

/** Answers errors in the envelope that OpenAI's clients read. */
export function sendOpenAiError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  if (reply.raw.destroyed || reply.raw.headersSent) {
    reply.raw.destroy();
    return;
  }
  const known = toApiError(error);
  if (known.status >= 500) request.log.error({ err: error, code: known.code }, 'request failed');
  reply
    .code(known.status)
    .header(TRACE_HEADER, request.id)
    .headers(errorHeaders(known))
    .type('application/json; charset=utf-8')
    .send({ error: { code: known.status, message: known.message, type: typeOf(known.status), param: null } });
}

function typeOf(status: number): string {
  if (status === 401 || status === 403) return 'authentication_error';
  return status < 500 ? 'invalid_request_error' : 'provider_error';
}
