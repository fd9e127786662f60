import type { FastifyReply } from 'fastify';
import {
  type Attempt,
  fingerprintOf,
  type Idempotency,
  type StoredResponse,
} from '../../domain/accounts/limits/idempotency.ts';
import type { AuthenticatedRequest } from '../dependencies.ts';

/** A request and its answer. */
export interface Exchange {
  readonly request: AuthenticatedRequest;
  readonly reply: FastifyReply;
}

/** What a repeated `Idempotency-Key` can meet. */
export const IDEMPOTENCY_ERRORS = [
  'idempotency_in_progress',
  'idempotency_outcome_gone',
  'idempotency_key_reused',
] as const;

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' };

/**
 * Looks at the `Idempotency-Key`: undefined when there is none, the first answer when the request was made
 * before, else leave to work on it. `content` is all that makes two requests the same.
 */
export async function beginIdempotent(
  idempotency: Idempotency,
  request: AuthenticatedRequest,
  content: readonly unknown[],
): Promise<Attempt | StoredResponse | undefined> {
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string') return undefined;
  const fingerprint = fingerprintOf(request.method, request.url, ...content);
  return idempotency.begin({ accountId: request.caller.accountId, key }, fingerprint);
}

/** Sends the first answer again. */
export async function replay(reply: FastifyReply, answer: StoredResponse): Promise<void> {
  reply.code(answer.status).headers(answer.headers).header('idempotency-replayed', 'true');
  await reply.send(answer.body);
}

export interface CreationOptions<Body> {
  readonly status: 200 | 201 | 202;
  /** The answer is shown once and not kept. */
  readonly isSecret?: boolean;
  /** What makes two requests the same; absent: the body. */
  readonly content?: readonly unknown[];
  readonly headersOf?: (body: Body) => Readonly<Record<string, string>>;
}

/**
 * Creates something for a request, once for each `Idempotency-Key`: a repeated request gets the first answer.
 * An answer that is a secret is not kept, so a repeated request only learns that it was answered.
 */
export async function createIdempotently<Body extends object>(
  idempotency: Idempotency,
  { request, reply }: Exchange,
  options: CreationOptions<Body>,
  create: () => Promise<Body>,
): Promise<void> {
  const attempt = await beginIdempotent(idempotency, request, options.content ?? [request.body]);
  if (attempt !== undefined && 'status' in attempt) return replay(reply, attempt);
  let answer: StoredResponse | undefined;
  try {
    const body = await create();
    const bytes = Buffer.from(JSON.stringify(body));
    const kept = options.isSecret ? undefined : bytes;
    const headers = { ...JSON_HEADERS, ...options.headersOf?.(body) };
    answer = { status: options.status, headers, body: kept };
    reply.code(options.status).headers(headers);
    await reply.send(bytes);
  } finally {
    await attempt?.finish({ chargedNano: 0, answer });
  }
}
