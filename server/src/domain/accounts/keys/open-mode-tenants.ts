import { createHash } from 'node:crypto';
import { type Caller, DEFAULT_SCOPES } from '../caller.ts';

/** Short words are stored as names. Longer tokens may be keys of another service and are not stored. */
const NAME_PATTERN = /^[\p{L}\p{N}][\p{L}\p{N}._@ -]{0,23}$/u;

/** The tenant of a bearer token in open mode. Each token has its own account. */
export function deriveTenant(token: string): { readonly name: string; readonly caller: Caller } {
  const digest = createHash('sha256').update(token).digest('hex').slice(0, 24);
  const id = `open_${digest}`;
  return {
    name: NAME_PATTERN.test(token) ? token : `Tenant ${digest.slice(0, 8)}`,
    caller: tenantCaller(id),
  };
}

/** Whether an id is that of a tenant. */
export function isTenantId(id: string): boolean {
  return /^open_[0-9a-f]{24}$/.test(id);
}

/** The caller of a tenant, by its id. */
export function tenantCaller(id: string): Caller {
  return {
    accountId: id,
    keyId: id,
    meterId: id,
    scopes: DEFAULT_SCOPES,
    spendCapNano: undefined,
    requestsPerMinute: undefined,
    concurrencyMax: undefined,
  };
}
