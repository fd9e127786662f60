import { ApiError } from '../../../errors.ts';
import type { VoiceStore } from '../voice-store.ts';

/**
 * Refuses a voice before it is cloned when its account has the maximum number of voices: those that are stored, and those
 * that this process is creating. With several servers, the store has the last word.
 */
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
    if (total + creating >= this.#max) throw createVoiceLimitError(this.#max);
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

export function createVoiceLimitError(voicesMax: number): ApiError {
  return new ApiError(
    'voice_limit',
    `The account has the maximum number of voices, ${voicesMax}. Delete one first.`,
  );
}
