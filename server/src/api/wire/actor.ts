import type { Actor } from '../../domain/accounts/audit/audit-log.ts';
import type { AuthenticatedRequest } from '../dependencies.ts';

/** The actor of a request, for the audit log. */
export function actorOf(request: AuthenticatedRequest): Actor {
  return { name: request.caller.keyId, source: request.ip };
}
