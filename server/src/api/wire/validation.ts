import type { FastifySchemaCompiler } from 'fastify';
import type { z } from 'zod';
import { ApiError, type ErrorCode, type ErrorDetail } from '../../errors.ts';

/** Validates a part of a request. Messages and statuses follow the API that clients are written for. */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart, url }) => {
  const location = LOCATIONS[httpPart ?? 'body'] ?? 'body';
  return (data) => {
    const result = schema.safeParse(data ?? {});
    return result.success
      ? { value: result.data }
      : { error: toValidationError(issuesOf(schema, data ?? {}), location, codeFor(url)) };
  };
};

/** Validates a body that did not arrive over HTTP, with the same messages. */
export function parseBody<Schema extends z.ZodType>(schema: Schema, data: unknown): z.output<Schema> {
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  throw toValidationError(issuesOf(schema, data), 'body', 'invalid_request');
}

/** The issues with their input values. Reporting inputs is slow, so it is done only for invalid requests. */
function issuesOf(schema: z.ZodType, data: unknown): readonly z.core.$ZodIssue[] {
  return schema.safeParse(data, { reportInput: true }).error?.issues ?? [];
}

/** The error code of a custom issue: `params: { code: 'sample_rate_not_supported' }`. */
export interface IssueParams {
  readonly code: ErrorCode;
}

const LOCATIONS: Readonly<Record<string, ErrorDetail['in']>> = {
  body: 'body',
  querystring: 'query',
  params: 'path',
  headers: 'header',
};

/** Maximum number of invalid fields in an error response. */
export const DETAIL_MAX = 100;

const MANAGEMENT = /^\/(?:model|v1\/pronunciation-dictionaries)/;

// Generation routes respond 400 and management routes 422, as their clients expect.
function codeFor(url: string | undefined): ErrorCode {
  return MANAGEMENT.test(url ?? '') ? 'invalid_parameter' : 'invalid_request';
}

function toValidationError(
  issues: readonly z.core.$ZodIssue[],
  location: ErrorDetail['in'],
  fallback: ErrorCode,
): ApiError {
  const detail = issues.slice(0, DETAIL_MAX).map((issue): ErrorDetail => {
    const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
    return { loc: [location, ...path], type: typeOf(issue), msg: describeIssue(issue), in: location };
  });
  const chosen = issues.find((issue) => issue.code === 'custom')?.params?.code as ErrorCode | undefined;
  return new ApiError(chosen ?? fallback, detail[0]?.msg ?? 'The request is not valid.', { detail });
}

function typeOf(issue: z.core.$ZodIssue): string {
  return issue.code === 'invalid_type' && issue.input === undefined ? 'missing' : issue.code;
}

function describeIssue(issue: z.core.$ZodIssue): string {
  // Any other message was written for this field.
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
