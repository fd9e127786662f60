import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../../errors.ts';

const ErrorDetailSchema = z
  .object({
    loc: z.array(z.union([z.string(), z.number()])).describe('Where the value stands.'),
    type: z.string().describe('The kind of problem.'),
    msg: z.string(),
    in: z.enum(['body', 'query', 'path', 'header']),
  })
  .meta({ id: 'ErrorDetail' });

export const ErrorBodySchema = z
  .object({
    status: z.int().describe('The HTTP status again.'),
    message: z.string().describe('What happened, for a human.'),
    detail: z.array(ErrorDetailSchema).optional().describe('The refused fields, when it was about fields.'),
  })
  .meta({
    id: 'Error',
    description: 'Every error answer. The stable code is in the header `x-fish-error-code`.',
  });

/** Response schemas for the errors a route can answer, by status; the texts are those of the error table. */
export function errorResponses(...codes: ErrorCode[]) {
  return errorResponsesAs({ 'application/json': { schema: ErrorBodySchema } }, codes);
}

/** The same for routes that tell their errors in another way. */
export function errorResponsesAs(
  content: Readonly<Record<string, { readonly schema: z.ZodType }>>,
  codes: readonly ErrorCode[],
) {
  const byStatus = new Map<number, string[]>();
  // Any route can hit these two.
  for (const code of [...codes, 'internal' as const, 'shutting_down' as const]) {
    const { status, summary } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), `\`${code}\`: ${summary}`]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, lines]) => [status, { description: lines.join('\n\n'), content }]),
  );
}
