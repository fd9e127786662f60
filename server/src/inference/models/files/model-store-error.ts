/** What can go wrong with models. Stable: scripts may rely on these words. */
export type ModelStoreErrorCode =
  | 'unknown_model'
  | 'not_installed'
  | 'hash_mismatch'
  | 'disk_full'
  | 'not_writable'
  | 'source_unreachable'
  | 'file_missing'
  | 'npm_missing'
  | 'broken_archive'
  | 'invalid_setting'
  | 'cancelled';

/** An expected failure of the model store. The message is a sentence or two for the operator. */
export class ModelStoreError extends Error {
  override readonly name = 'ModelStoreError';
  readonly code: ModelStoreErrorCode;

  constructor(code: ModelStoreErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}

/** The `code` of a Node.js system error, or `undefined` for anything else. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** True for the errors that mean that the disk, or the user's share of it, is full. */
export function isDiskFull(error: unknown): boolean {
  const code = systemErrorCode(error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}

/** True for the errors that mean that a folder may not be written. */
export function isNotWritable(error: unknown): boolean {
  const code = systemErrorCode(error);
  return code === 'EACCES' || code === 'EPERM' || code === 'EROFS';
}

/** The failure of work whose signal was aborted. */
export function cancelledError(what: string): ModelStoreError {
  return new ModelStoreError('cancelled', `${what} was cancelled; start it again to continue.`);
}

/** Throws `cancelled` when the signal is aborted. */
export function assertNotCancelled(signal: AbortSignal | undefined, what: string): void {
  if (signal?.aborted) throw cancelledError(what);
}
