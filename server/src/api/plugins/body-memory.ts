import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../../errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the request will be answered with. A `WeakMap` would keep it until the whole heap is collected. */
    answer: ServerResponse | undefined;
  }
}

const RETRY_AFTER_SECONDS = 2;
/** Bodies up to this size are not counted: there are many, and they do not matter. */
const SMALL_BYTES = 64 * 1024;

/** Reads bodies that are held in memory as a whole, and lets them have only so much of it at once. */
export class BodyMemory {
  readonly #maxBytes: number;
  #heldBytes = 0;

  constructor(app: FastifyInstance, { maxBytes }: { readonly maxBytes: number }) {
    this.#maxBytes = maxBytes;
    app.decorateRequest('answer', undefined);
    app.addHook('preParsing', async (request, reply) => {
      request.answer = reply.raw;
    });
  }

  /**
   * The whole body, which counts until the request is over. Throws `body_too_large` when it is over the limit of its
   * route, and `queue_full` when there is no room for it beside the others.
   */
  async read(request: FastifyRequest, source: Readable): Promise<Buffer> {
    const limit = request.routeOptions.bodyLimit;
    if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge();
    const hold = this.#holdFor(request);
    const parts: Buffer[] = [];
    let bytes = 0;
    // A request that is destroyed takes its connection along, and the client would never see why.
    for await (const chunk of source.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > limit) throw tooLarge();
      if (bytes > SMALL_BYTES) hold(bytes);
      parts.push(chunk);
    }
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  /** Counts so many bytes in all for a request, until it is over. */
  #holdFor(request: FastifyRequest): (bytes: number) => void {
    let own = 0;
    const response = request.answer;
    response?.once('close', () => {
      this.#heldBytes -= own;
      own = 0;
    });
    return (bytes) => {
      const others = this.#heldBytes - own;
      // One that is larger than all room together is let in alone.
      if (others > 0 && others + bytes > this.#maxBytes) throw noRoom();
      if (response?.closed !== false) return;
      this.#heldBytes = others + bytes;
      own = bytes;
    };
  }
}

function noRoom(): ApiError {
  return new ApiError(
    'queue_full',
    'Too many large requests are being received. Try again in a few seconds.',
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}

function tooLarge(): ApiError {
  return new ApiError('body_too_large', 'The request body is too large.');
}
