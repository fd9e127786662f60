/** A worker process has exited while it ran the job. */
export class WorkerLostError extends Error {
  override readonly name = 'WorkerLostError';
  /** Whether a step of this job was running, so that the job may have caused the loss. */
  readonly isSuspect: boolean;

  constructor(message: string, { isSuspect = false }: { readonly isSuspect?: boolean } = {}) {
    super(message);
    this.isSuspect = isSuspect;
  }
}
