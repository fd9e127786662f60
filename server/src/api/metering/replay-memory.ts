import type { ServerResponse } from 'node:http';
import { ApiError } from '../../errors.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The limit for stored responses that are being sent. */
    replayMemory: ReplayMemory;
  }
}

const RETRY_AFTER_SECONDS = 2;

/** Limits the total size of the stored responses of an account that are being sent again. */
export class ReplayMemory {
  readonly #accountMaxBytes: number;
  readonly #heldBytes = new Map<string, number>();

  constructor({ accountMaxBytes }: { readonly accountMaxBytes: number }) {
    this.#accountMaxBytes = accountMaxBytes;
  }

  /** Counts a response until it is closed. Throws `idempotency_limit` above the limit. A single one is always accepted. */
  hold(accountId: string, bytes: number, response: ServerResponse): void {
    const held = this.#heldBytes.get(accountId) ?? 0;
    if (held > 0 && held + bytes > this.#accountMaxBytes) {
      throw new ApiError('idempotency_limit', 'Too many stored responses are being sent to this account.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    if (response.closed) return;
    this.#heldBytes.set(accountId, held + bytes);
    response.once('close', () => this.#release(accountId, bytes));
  }

  #release(accountId: string, bytes: number): void {
    const left = (this.#heldBytes.get(accountId) ?? 0) - bytes;
    if (left > 0) this.#heldBytes.set(accountId, left);
    else this.#heldBytes.delete(accountId);
  }
}
