import { createHash } from 'node:crypto';

/** Hash for storage. One round of SHA-256 suffices, because a token has at least 192 random bits. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
