import type { Logger } from '../logger.ts';

export const UNHANDLED_REJECTION = 'unhandled promise rejection';

/**
 * Logs promises that are rejected without a handler. Without this, Node ends the process: a defect in one request would
 * end all others.
 */
export function logUnhandledRejections(logger: Pick<Logger, 'error'>): void {
  process.on('unhandledRejection', (error) => logger.error({ err: error }, UNHANDLED_REJECTION));
}
