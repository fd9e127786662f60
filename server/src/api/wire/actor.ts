import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../domain/accounts/audit/audit-log.ts';

/** Who made a request, for the audit log. */
export function actorOf(request: FastifyRequest): Actor {
  return { name: request.caller!.keyId, source: request.ip };
}
