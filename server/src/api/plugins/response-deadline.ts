import type { FastifyInstance } from 'fastify';

/** Minimum rate at which a client reads a response that is in memory, in bytes per second. */
export const RESPONSE_MIN_BYTES_PER_SECOND = 50_000;

export interface ResponseDeadline {
  /** Time for a client to read an empty response. */
  readonly stallMs: number;
  readonly minBytesPerSecond?: number;
}

/**
 * Disconnects clients that do not read a response which is in memory. Streams have a limit of their own
 * (`responses/byte-stream.ts`).
 */
export function addResponseDeadline(
  app: FastifyInstance,
  { stallMs, minBytesPerSecond = RESPONSE_MIN_BYTES_PER_SECOND }: ResponseDeadline,
): void {
  app.addHook('onSend', async (_request, reply, payload) => {
    if (typeof payload !== 'string' && !(payload instanceof Uint8Array)) return payload;
    const timer = setTimeout(
      () => reply.raw.destroy(),
      stallMs + (1000 * Buffer.byteLength(payload)) / minBytesPerSecond,
    ).unref();
    reply.raw.once('close', () => clearTimeout(timer));
    return payload;
  });
}
