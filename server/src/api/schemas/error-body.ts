import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../../errors.ts';

const ErrorDetailSchema = z
  .object({
    loc: z.array(z.union([z.string(), z.number()])).describe('Path of the value.'),
    type: z.string().describe('The kind of problem.'),
    msg: z.string(),
    in: z.enum(['body', 'query', 'path', 'header']),
  })
  .meta({ id: 'ErrorDetail' });

export const ErrorBodySchema = z
  .object({
    status: z.int().describe('The HTTP status.'),
    message: z.string().describe('Human-readable message.'),
    detail: z.array(ErrorDetailSchema).optional().describe('The invalid fields, if any.'),
  })
  .meta({
    id: 'Error',
    description: 'The body of every error response. The stable code is in the header `x-fish-error-code`.',
  });

/** Errors of every route. */
const COMMON_ERRORS: readonly ErrorCode[] = ['internal', 'shutting_down'];
/** Errors of every route that requires an API key. */
export const KEY_ERRORS = ['invalid_api_key', 'insufficient_scope'] as const;
/** Errors of a JSON body. `invalid_request` is also that of an invalid `Idempotency-Key`. */
export const JSON_BODY_ERRORS = ['invalid_request', 'invalid_body', 'unsupported_media_type'] as const;
/** Errors of every route with a body, beside those of its encoding. */
export const BODY_ERRORS: readonly ErrorCode[] = ['body_timeout', 'body_too_large', 'queue_full'];

/** Response schemas by status for the errors of a route, described by the error table. */
export function errorResponses(...codes: ErrorCode[]) {
  return errorResponsesAs({ 'application/json': { schema: ErrorBodySchema } }, codes);
}

/** The same for routes with another error format. */
export function errorResponsesAs(
  content: Readonly<Record<string, { readonly schema: z.ZodType }>>,
  codes: readonly ErrorCode[],
) {
  const byStatus = new Map<number, string[]>();
  const bodyCodes = codes.includes('invalid_body') ? BODY_ERRORS : [];
  for (const code of new Set([...codes, ...bodyCodes, ...COMMON_ERRORS])) {
    const { status, summary } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), `\`${code}\`: ${summary}`]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, lines]) => [status, { description: lines.join('\n\n'), content }]),
  );
}
