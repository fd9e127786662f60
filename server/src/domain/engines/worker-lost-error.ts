/** A worker process has exited while it ran the job. */
export class WorkerLostError extends Error {
  override readonly name = 'WorkerLostError';
}
