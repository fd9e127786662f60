import { ApiError } from '../../../errors.ts';
import type { VoiceStore } from '../voice-store.ts';

/** Limits the number of voices of an account: those that are stored, and those that this process is creating. */
export class VoiceQuota {
  readonly #store: Pick<VoiceStore, 'list'>;
  readonly #max: number;
  /** Number of voices that are being created, by account. */
  readonly #creating = new Map<string, number>();

  constructor(store: Pick<VoiceStore, 'list'>, max: number) {
    this.#store = store;
    this.#max = max;
  }

  /** Runs the creation of a voice. Throws `voice_limit` for an account that has the maximum number of voices. */
  async reserve<T>(accountId: string, create: () => Promise<T>): Promise<T> {
    const { total } = await this.#store.list({ ownedBy: accountId, tags: [], languages: [] }, 1);
    const creating = this.#creating.get(accountId) ?? 0;
    if (total + creating >= this.#max) {
      throw new ApiError(
        'voice_limit',
        `The account has the maximum number of voices, ${this.#max}. Delete one first.`,
      );
    }
    this.#creating.set(accountId, creating + 1);
    try {
      return await create();
    } finally {
      const left = (this.#creating.get(accountId) ?? 1) - 1;
      if (left === 0) this.#creating.delete(accountId);
      else this.#creating.set(accountId, left);
    }
  }
}
