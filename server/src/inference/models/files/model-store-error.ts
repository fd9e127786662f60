/** Error codes of the model store. They are stable: scripts may depend on them. */
export type ModelStoreErrorCode =
  | 'unknown_model'
  | 'not_installed'
  | 'hash_mismatch'
  | 'disk_full'
  | 'not_writable'
  | 'source_unreachable'
  | 'file_missing'
  | 'npm_missing'
  | 'pip_missing'
  | 'broken_archive'
  | 'invalid_setting'
  | 'cancelled';

/** An expected failure of the model store. The message is addressed to the operator. */
export class ModelStoreError extends Error {
  override readonly name = 'ModelStoreError';
  readonly code: ModelStoreErrorCode;

  constructor(code: ModelStoreErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}

/** The `code` of a Node.js system error; undefined for other errors. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Whether the error means that the disk or the quota of the user is full. */
export function isDiskFull(error: unknown): boolean {
  const code = systemErrorCode(error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}

/** Whether the error means that a folder is not writable. */
export function isNotWritable(error: unknown): boolean {
  const code = systemErrorCode(error);
  return code === 'EACCES' || code === 'EPERM' || code === 'EROFS';
}

/** The failure of an operation whose signal was aborted. */
export function createCancelledError(operation: string): ModelStoreError {
  return new ModelStoreError('cancelled', `${operation} was cancelled; start it again to continue.`);
}

/** Throws `cancelled` when the signal is aborted. */
export function assertNotCancelled(signal: AbortSignal | undefined, operation: string): void {
  if (signal?.aborted) throw createCancelledError(operation);
}
