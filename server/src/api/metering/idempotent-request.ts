import type { FastifyReply } from 'fastify';
import {
  type Attempt,
  fingerprintOf,
  type Idempotency,
  type Replay,
  type StoredResponse,
} from '../../domain/accounts/limits/idempotency.ts';
import type { AuthenticatedRequest } from '../dependencies.ts';
import { disconnectSignal } from '../responses/byte-stream.ts';

/** A request and its reply. */
export interface Exchange {
  readonly request: AuthenticatedRequest;
  readonly reply: FastifyReply;
}

/** Errors that a repeated `Idempotency-Key` can cause. */
export const IDEMPOTENCY_ERRORS = [
  'idempotency_in_progress',
  'idempotency_outcome_gone',
  'idempotency_key_reused',
  'idempotency_limit',
] as const;

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' };

/**
 * Looks up the `Idempotency-Key` of a request; undefined when it has none. `content` is everything that makes two
 * requests equal, beside method and URL.
 */
export async function beginIdempotent(
  idempotency: Idempotency,
  request: AuthenticatedRequest,
  content: readonly unknown[],
): Promise<Attempt | Replay | undefined> {
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string') return undefined;
  const fingerprint = fingerprintOf(request.method, request.url, ...content);
  return idempotency.begin({ accountId: request.caller.accountId, key }, fingerprint);
}

/** Aborts when the client disconnects, and when another process has taken over the request. */
export function workSignal(reply: FastifyReply, attempt: Attempt | undefined): AbortSignal {
  const disconnected = disconnectSignal(reply.raw);
  return attempt ? AbortSignal.any([disconnected, attempt.leaseLost]) : disconnected;
}

/** Sends a stored response again. Throws `idempotency_limit` when too many of the account are being sent. */
export async function sendReplay(reply: FastifyReply, { response }: Replay): Promise<void> {
  const { server, caller } = reply.request;
  server.replayMemory.hold(caller?.accountId ?? '', response.body?.length ?? 0, reply.raw);
  reply.code(response.status).headers(response.headers).header('idempotency-replayed', 'true');
  await reply.send(response.body);
}

export interface CreationOptions<Body> {
  readonly status: 200 | 201 | 202;
  /** The body of the response is a secret and is not stored. */
  readonly isSecret?: boolean;
  /** Everything that makes two requests equal. Default: the body. */
  readonly content?: readonly unknown[];
  readonly headersOf?: (body: Body) => Readonly<Record<string, string>>;
}

/**
 * Creates a resource once per `Idempotency-Key`: a repeated request gets the stored response. The body of a secret
 * response is not stored, so a repeated request gets `idempotency_outcome_gone`.
 */
export async function createIdempotently<Body extends object>(
  idempotency: Idempotency,
  { request, reply }: Exchange,
  options: CreationOptions<Body>,
  create: (attempt: Attempt | undefined) => Promise<Body>,
): Promise<void> {
  const attempt = await beginIdempotent(idempotency, request, options.content ?? [request.body]);
  if (attempt?.kind === 'replay') return sendReplay(reply, attempt);
  let response: StoredResponse | undefined;
  try {
    const body = await create(attempt);
    await attempt?.ensureHeld();
    const bytes = Buffer.from(JSON.stringify(body));
    const headers = { ...JSON_HEADERS, ...options.headersOf?.(body) };
    response = { status: options.status, headers, body: options.isSecret ? undefined : bytes };
    reply.code(options.status).headers(headers);
    await reply.send(bytes);
  } finally {
    await attempt?.finish({ chargedNano: 0, response });
  }
}
