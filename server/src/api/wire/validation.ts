import type { FastifySchemaCompiler } from 'fastify';
import type { z } from 'zod';
import { ApiError, type ErrorCode, type ErrorDetail } from '../../errors.ts';

/** Checks a part of a request, and refuses it with the words and statuses that clients know. */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart, url }) => {
  const place = PLACES[httpPart ?? 'body'] ?? 'body';
  return (data) => {
    const result = schema.safeParse(data ?? {});
    return result.success
      ? { value: result.data }
      : { error: toApiError(issuesOf(schema, data ?? {}), place, codeFor(url)) };
  };
};

/** Checks a body that did not come over HTTP, in the same words. */
export function parseBody<Schema extends z.ZodType>(schema: Schema, data: unknown): z.output<Schema> {
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  throw toApiError(issuesOf(schema, data), 'body', 'invalid_request');
}

/** What is wrong, with the values that are; asking for these costs, so only those who are refused wait for it. */
function issuesOf(schema: z.ZodType, data: unknown): readonly z.core.$ZodIssue[] {
  return schema.safeParse(data, { reportInput: true }).error?.issues ?? [];
}

/** Lets a schema's own check choose the error code: `params: { code: 'sample_rate_not_supported' }`. */
export interface IssueParams {
  readonly code: ErrorCode;
}

const PLACES: Readonly<Record<string, ErrorDetail['in']>> = {
  body: 'body',
  querystring: 'query',
  params: 'path',
  headers: 'header',
};

const MANAGEMENT = /^\/(?:model|v1\/pronunciation-dictionaries)/;

// Generation routes answer 400 and management routes 422, as the clients of each expect.
function codeFor(url: string | undefined): ErrorCode {
  return MANAGEMENT.test(url ?? '') ? 'invalid_parameter' : 'invalid_request';
}

function toApiError(
  issues: readonly z.core.$ZodIssue[],
  place: ErrorDetail['in'],
  fallback: ErrorCode,
): ApiError {
  const detail = issues.map((issue): ErrorDetail => {
    const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
    return { loc: [place, ...path], type: typeOf(issue), msg: describeIssue(issue), in: place };
  });
  const chosen = issues.find((issue) => issue.code === 'custom')?.params?.code as ErrorCode | undefined;
  return new ApiError(chosen ?? fallback, detail[0]?.msg ?? 'The request is not valid.', { detail });
}

function typeOf(issue: z.core.$ZodIssue): string {
  return issue.code === 'invalid_type' && issue.input === undefined ? 'missing' : issue.code;
}

function describeIssue(issue: z.core.$ZodIssue): string {
  // A message that is not zod's own was written for this very field.
  if (!/^Invalid (input|option)/.test(issue.message)) return issue.message;
  const field = issue.path.join('.');
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return `missing field \`${field}\``;
      return `invalid type${field && ` for \`${field}\``}: got ${kindOf(issue.input)}, expected ${withArticle(issue.expected)}`;
    case 'invalid_value':
      return `unknown variant \`${shorten(issue.input)}\`, expected one of ${issue.values.map((value) => `\`${String(value)}\``).join(', ')}`;
    default:
      return issue.message;
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (value instanceof Uint8Array) return 'bytes';
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return withArticle(typeof value);
}

function withArticle(noun: string): string {
  const name = noun === 'int' ? 'integer' : noun;
  return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`;
}

function shorten(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return text.length <= 64 ? text : `${text.slice(0, 64)}…`;
}
