import { createHash } from 'node:crypto';
import { type Caller, USUAL_SCOPES } from '../caller.ts';

/** Short words are names; anything longer may be a key for somewhere else, and is not written down. */
const NAME_PATTERN = /^[\p{L}\p{N}][\p{L}\p{N}._@ -]{0,23}$/u;

/** Who a bearer token stands for on a server in open mode: each token is a tenant with an account of its own. */
export function tenantOf(token: string): { readonly name: string; readonly caller: Caller } {
  const digest = createHash('sha256').update(token).digest('hex').slice(0, 24);
  const id = `open_${digest}`;
  return {
    name: NAME_PATTERN.test(token) ? token : `Tenant ${digest.slice(0, 8)}`,
    caller: {
      accountId: id,
      keyId: id,
      meterId: id,
      scopes: USUAL_SCOPES,
      spendCapNano: undefined,
      requestsPerMinute: undefined,
      concurrencyMax: undefined,
    },
  };
}
