import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../../errors.ts';
import { BodyMemory } from '../bodies/body-memory.ts';
import { decodeMsgpack, MSGPACK_TYPES } from '../bodies/decode-msgpack.ts';
import { parseJson } from '../bodies/parse-json.ts';
import { memoryPace } from '../bodies/read-body.ts';
import type { ApiConfig } from '../dependencies.ts';

/** How long a client may continue to send a body that was already rejected. */
const LINGER_MS = 2000;

/** Maximum size of the body of a POST request without a key, such as a login. Other methods have no body. */
export const OPEN_BODY_MAX_BYTES = 4096;

/**
 * Parses JSON and MessagePack bodies, and no others. Sizes are checked while bytes arrive. Call it after the hooks that
 * authenticate: no byte of the body of a request that they refuse is read.
 */
export function addBodyParsers(app: FastifyInstance, config: ApiConfig): void {
  app.addHook('onRequest', async (request) => {
    const maxBytes = request.method === 'POST' ? OPEN_BODY_MAX_BYTES : 0;
    if (request.caller === undefined && announcedBytes(request.raw) > maxBytes) {
      throw new ApiError('body_too_large', 'The body is too large for a request without an API key.');
    }
  });

  app.removeAllContentTypeParsers();
  const memory = new BodyMemory(app, { maxBytes: config.bodiesMaxBytes, pace: memoryPace(config) });
  app.decorate('bodyMemory', memory);
  const parserOf =
    (parse: (bytes: Buffer) => unknown) => async (request: FastifyRequest, payload: Readable) => {
      const bytes = await memory.read(request, payload);
      if (bytes.length === 0) throw new ApiError('invalid_body', 'The request body is empty.');
      return parse(bytes);
    };
  app.addContentTypeParser('application/json', parserOf(parseJson));
  app.addContentTypeParser(MSGPACK_TYPES, parserOf(decodeMsgpack));

  app.addHook('onResponse', async ({ raw }) => discardBody(raw));
}

/** The size of the body according to the headers. A chunked body has any size. */
function announcedBytes({ headers }: IncomingMessage): number {
  if (headers['transfer-encoding'] !== undefined) return Number.POSITIVE_INFINITY;
  return Number(headers['content-length'] ?? 0);
}

/**
 * Discards the rest of the body of a request that was answered. It is read for a limited time, because a client whose
 * connection is closed while it sends does not read the response.
 */
export function discardBody(raw: IncomingMessage): void {
  if (raw.complete || raw.destroyed) return;
  const timer = setTimeout(() => raw.complete || raw.destroy(), LINGER_MS).unref();
  raw.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
  raw.resume();
}
