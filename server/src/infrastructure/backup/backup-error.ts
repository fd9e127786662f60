/** Reasons for which a backup or a restoration fails. The codes are stable. */
export type BackupErrorCode =
  | 'backup_exists'
  | 'backup_source_changed'
  | 'backup_broken'
  | 'backup_too_large'
  | 'backup_newer'
  | 'backup_database_kind'
  | 'data_exists'
  | 'database_not_empty'
  | 'bucket_not_empty'
  | 'database_tool_failed';

/** A backup cannot be made or restored. The message is one sentence for the operator. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
  readonly code: BackupErrorCode;

  constructor(code: BackupErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
