import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../../errors.ts';
import { type BodyPace, readBody } from './read-body.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The response of this request, for content type parsers, which get no reply. A `WeakMap` would hold it
     * until the next full garbage collection.
     */
    response: ServerResponse | undefined;
  }
  interface FastifyInstance {
    /** The limit for all bodies in memory. */
    bodyMemory: BodyMemory;
  }
}

const RETRY_AFTER_SECONDS = 2;
/** Bodies up to this size are small. */
const SMALL_BYTES = 64 * 1024;
/** The part of the limit that small bodies may use in addition, so that large ones do not block them. */
const SMALL_RESERVE = 1 / 4;

/** Reads bodies into memory, and limits the total size of all bodies in memory. */
export class BodyMemory {
  readonly #maxBytes: number;
  readonly #pace: BodyPace;
  #heldBytes = 0;

  constructor(
    app: FastifyInstance,
    { maxBytes, pace }: { readonly maxBytes: number; readonly pace: BodyPace },
  ) {
    this.#maxBytes = maxBytes;
    this.#pace = pace;
    app.decorateRequest('response', undefined);
    app.addHook('preParsing', async (request, reply) => {
      request.response = reply.raw;
    });
  }

  /**
   * Reads the body, which counts until the response is closed. Throws `body_too_large` above the limit of the
   * route, `queue_full` above the limit for all bodies, and `body_timeout` when the client is too slow.
   */
  async read(request: FastifyRequest, source: Readable): Promise<Buffer> {
    const maxBytes = request.routeOptions.bodyLimit;
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw createTooLargeError();
    const hold = this.holdFor(request);
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of readBody(source, { ...this.#pace, maxBytes }, createTooLargeError)) {
      bytes += chunk.length;
      hold(bytes);
      parts.push(chunk);
    }
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  /**
   * Returns a function that sets how many bytes count for a request, until its response is closed. It throws
   * `queue_full` above the limit.
   */
  holdFor(request: FastifyRequest): (bytes: number) => void {
    let own = 0;
    const { response } = request;
    response?.once('close', () => {
      this.#heldBytes -= own;
      own = 0;
    });
    return (bytes) => {
      const others = this.#heldBytes - own;
      const maxBytes = this.#maxBytes * (bytes <= SMALL_BYTES ? 1 + SMALL_RESERVE : 1);
      // A single body above the total limit is accepted while there is no other large one.
      if (others > this.#maxBytes * SMALL_RESERVE && others + bytes > maxBytes)
        throw createMemoryExhaustedError();
      if (response?.closed !== false) return;
      this.#heldBytes = others + bytes;
      own = bytes;
    };
  }
}

function createMemoryExhaustedError(): ApiError {
  return new ApiError(
    'queue_full',
    'Too many large requests are being received. Try again in a few seconds.',
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}

function createTooLargeError(): ApiError {
  return new ApiError('body_too_large', 'The request body is too large.');
}
