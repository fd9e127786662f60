import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../../errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The response of this request, for content type parsers, which get no reply. A `WeakMap` would hold it
     * until the next full garbage collection.
     */
    response: ServerResponse | undefined;
  }
}

const RETRY_AFTER_SECONDS = 2;
/** Bodies up to this size are not counted: they are frequent and insignificant. */
const SMALL_BYTES = 64 * 1024;

/** Reads bodies into memory, and limits the total size of all bodies in memory. */
export class BodyMemory {
  readonly #maxBytes: number;
  #heldBytes = 0;

  constructor(app: FastifyInstance, { maxBytes }: { readonly maxBytes: number }) {
    this.#maxBytes = maxBytes;
    app.decorateRequest('response', undefined);
    app.addHook('preParsing', async (request, reply) => {
      request.response = reply.raw;
    });
  }

  /**
   * Reads the body, which counts until the response is closed. Throws `body_too_large` above the limit of the
   * route, and `queue_full` above the limit for all bodies.
   */
  async read(request: FastifyRequest, source: Readable): Promise<Buffer> {
    const limit = request.routeOptions.bodyLimit;
    if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge();
    const hold = this.#holdFor(request);
    const parts: Buffer[] = [];
    let bytes = 0;
    // Destroying the request would close the connection before the client gets the error response.
    for await (const chunk of source.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > limit) throw tooLarge();
      if (bytes > SMALL_BYTES) hold(bytes);
      parts.push(chunk);
    }
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  /** Returns a function that sets how many bytes count for a request, until its response is closed. */
  #holdFor(request: FastifyRequest): (bytes: number) => void {
    let own = 0;
    const { response } = request;
    response?.once('close', () => {
      this.#heldBytes -= own;
      own = 0;
    });
    return (bytes) => {
      const others = this.#heldBytes - own;
      // A single body above the total limit is accepted while there is no other.
      if (others > 0 && others + bytes > this.#maxBytes) throw memoryExhausted();
      if (response?.closed !== false) return;
      this.#heldBytes = others + bytes;
      own = bytes;
    };
  }
}

function memoryExhausted(): ApiError {
  return new ApiError(
    'queue_full',
    'Too many large requests are being received. Try again in a few seconds.',
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}

function tooLarge(): ApiError {
  return new ApiError('body_too_large', 'The request body is too large.');
}
