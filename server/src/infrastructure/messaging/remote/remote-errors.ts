import { WorkerLostError } from '../../../domain/engines/worker-lost-error.ts';
import { ApiError, ERRORS, type ErrorCode } from '../../../errors.ts';
import { RemoteTaskError } from './dispatch-client.ts';

const RETRY_AFTER_SECONDS = 5;

/** The error of the local pools for the end of a remote task. Other errors are returned unchanged. */
export function toDomainError(error: unknown, work: string): unknown {
  if (!(error instanceof RemoteTaskError)) return error;
  const { outcome } = error;
  switch (outcome.type) {
    case 'failed':
      return isErrorCode(outcome.code)
        ? new ApiError(outcome.code, outcome.message, { cause: error })
        : new Error(`A remote ${work} task failed.`, { cause: error });
    case 'lost':
      return new WorkerLostError('The remote worker was lost.', { isSuspect: outcome.isSuspect });
    case 'unavailable': {
      const reason = outcome.reason === 'none' ? 'No worker of the cluster is ready' : 'All workers are busy';
      return createUnavailableError(`${reason} for ${work}. Try again in a few seconds.`, error);
    }
    case 'deadline':
      return createUnavailableError(`No worker finished the ${work} task in time. Try again.`, error);
    case 'cancelled':
      return new Error('The task was cancelled.', { cause: error });
  }
}

function createUnavailableError(message: string, cause: unknown): ApiError {
  return new ApiError('engine_unavailable', message, { cause, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

function isErrorCode(code: string | undefined): code is ErrorCode {
  return code !== undefined && Object.hasOwn(ERRORS, code);
}
