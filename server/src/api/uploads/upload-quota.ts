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
}

const RETRY_AFTER_SECONDS = 5;

/** Counts the uploads of each account and their bytes on disk, in all encodings and on all routes of this process. */
export class UploadQuota {
  readonly #settings: UploadQuotaSettings;
  readonly #accounts = new Map<string, AccountUploads>();

  constructor(settings: UploadQuotaSettings) {
    this.#settings = settings;
  }

  /** Throws `too_many_uploads`. */
  open(accountId: string): UploadShare {
    const { accountUploadsMax, accountUploadsMaxBytes } = this.#settings;
    const account = this.#accounts.get(accountId) ?? { count: 0, bytes: 0 };
    if (account.count >= accountUploadsMax) throw createTooManyUploadsError();
    this.#accounts.set(accountId, account);
    account.count++;
    let ownBytes = 0;
    let isClosed = false;
    return {
      add: (bytes) => {
        ownBytes += bytes;
        account.bytes += bytes;
        if (account.count > 1 && account.bytes > accountUploadsMaxBytes) throw createTooManyUploadsError();
      },
      close: () => {
        if (isClosed) return;
        isClosed = true;
        account.count--;
        account.bytes -= ownBytes;
        if (account.count === 0) this.#accounts.delete(accountId);
      },
    };
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
