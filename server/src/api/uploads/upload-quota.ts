import type { AccountSlot, AccountSlots } from '../../domain/accounts/limits/account-slots.ts';
import { ApiError } from '../../errors.ts';

/** Limits of the uploads of one account that are being received or processed. */
export interface UploadQuotaSettings {
  readonly accountUploadsMax: number;
  readonly accountUploadsMaxBytes: number;
}

/** The share of one upload in the quota of its account. */
export interface UploadShare {
  /**
   * Counts received bytes. Throws `too_many_uploads` when the account has too many; a single upload of the account is
   * limited by its route only.
   */
  add(bytes: number): void;
  /** Gives the share back when the files of the upload are removed. */
  close(): void;
}

interface AccountUploads {
  count: number;
  bytes: number;
  /** Uploads of the account at other servers, as last known. */
  others: { readonly count: number; readonly amount: number };
}

const RETRY_AFTER_SECONDS = 5;
/** Interval at which servers report their bytes of uploads to each other, while there are any. */
const EXCHANGE_MS = 500;
const NONE = { count: 0, amount: 0 };

/**
 * Counts the uploads of each account and their bytes on disk, in all encodings and on all routes. Several servers count
 * together: the number exactly, with slots of the account, the bytes with a delay of about a second.
 */
export class UploadQuota {
  readonly #settings: UploadQuotaSettings;
  readonly #slots: AccountSlots | undefined;
  readonly #accounts = new Map<string, AccountUploads>();
  #timer: NodeJS.Timeout | undefined;
  #isExchanging = false;

  /** `slots` are those of all servers. Absent: this server is alone. */
  constructor(settings: UploadQuotaSettings, slots?: AccountSlots | undefined) {
    this.#settings = settings;
    this.#slots = slots;
  }

  /** Rejects with `too_many_uploads`. */
  async open(accountId: string): Promise<UploadShare> {
    const { accountUploadsMax, accountUploadsMaxBytes } = this.#settings;
    const account = this.#accounts.get(accountId) ?? { count: 0, bytes: 0, others: NONE };
    if (account.count >= accountUploadsMax) throw createTooManyUploadsError();
    this.#accounts.set(accountId, account);
    account.count++;
    let ownBytes = 0;
    let isClosed = false;
    const close = () => {
      if (isClosed) return;
      isClosed = true;
      account.count--;
      account.bytes -= ownBytes;
      if (account.count === 0) this.#accounts.delete(accountId);
      if (this.#accounts.size === 0) this.#stopExchange();
    };
    const slot = await this.#takeSlot(accountId).catch((error: unknown) => {
      close();
      throw error;
    });
    return {
      add: (bytes) => {
        ownBytes += bytes;
        account.bytes += bytes;
        if (slot !== undefined) slot.amount = ownBytes;
        const { count, amount } = account.others;
        if (account.count + count > 1 && account.bytes + amount > accountUploadsMaxBytes)
          throw createTooManyUploadsError();
      },
      close: () => {
        if (!isClosed) void slot?.release();
        close();
      },
    };
  }

  /** Takes a slot of the account on all servers together. */
  async #takeSlot(accountId: string): Promise<AccountSlot | undefined> {
    if (this.#slots === undefined) return undefined;
    const slot = await this.#slots.take('upload', accountId, this.#settings.accountUploadsMax);
    if (slot === undefined) throw createTooManyUploadsError();
    this.#timer ??= setInterval(() => void this.#exchange().catch(() => {}), EXCHANGE_MS).unref();
    // The upload begins with what other servers have reported so far.
    await this.#exchange().catch(() => {});
    return slot;
  }

  async #exchange(): Promise<void> {
    if (this.#isExchanging || this.#slots === undefined) return;
    this.#isExchanging = true;
    try {
      const others = await this.#slots.shareAmounts('upload', [...this.#accounts.keys()]);
      for (const [accountId, account] of this.#accounts) account.others = others.get(accountId) ?? NONE;
    } finally {
      this.#isExchanging = false;
    }
  }

  #stopExchange(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function createTooManyUploadsError(): ApiError {
  return new ApiError('too_many_uploads', 'The account has too many uploads in progress. Try again later.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Limits the uploads of accounts. */
    uploadQuota: UploadQuota;
  }
}
