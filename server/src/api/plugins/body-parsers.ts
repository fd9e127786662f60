import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Unpackr } from 'msgpackr';
import { ApiError } from '../../errors.ts';
import { BodyMemory } from './body-memory.ts';
import { jsonDepth } from './json-depth.ts';

/** Media types of MessagePack in use. */
export const MSGPACK_TYPES = ['application/msgpack', 'application/x-msgpack', 'application/vnd.msgpack'];

/** How long a client may continue to send a body that was already rejected. */
const LINGER_MS = 2000;

/** Maximum nesting depth of JSON. Parsing deeper values would block the event loop. */
const DEPTH_MAX = 64;

/** Parses JSON and MessagePack bodies, and no others. Sizes are checked while bytes arrive. */
export function addBodyParsers(app: FastifyInstance, config: { readonly bodiesMaxBytes: number }): void {
  app.removeAllContentTypeParsers();
  const memory = new BodyMemory(app, { maxBytes: config.bodiesMaxBytes });
  const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true, int64AsType: 'number' });
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: Readable) =>
    parse('JSON', await memory.read(request, payload), (bytes) => {
      if (jsonDepth(bytes) > DEPTH_MAX) throw new Error('Nested too deeply.');
      return JSON.parse(bytes.toString('utf8'));
    }),
  );
  app.addContentTypeParser(MSGPACK_TYPES, async (request: FastifyRequest, payload: Readable) =>
    parse('MsgPack', await memory.read(request, payload), (bytes) => unpackr.unpack(bytes)),
  );

  // The rest of a rejected body is read and discarded for a limited time: a client whose connection is closed
  // while it sends does not read the response.
  app.addHook('onResponse', async ({ raw }) => {
    if (raw.complete || raw.destroyed) return;
    const timer = setTimeout(() => raw.complete || raw.destroy(), LINGER_MS).unref();
    raw.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
    raw.resume();
  });
}

function parse(kind: string, body: Buffer, read: (bytes: Buffer) => unknown): unknown {
  if (body.length === 0) throw new ApiError('invalid_body', 'The request body is empty.');
  try {
    return read(body);
  } catch (cause) {
    // The message of the parser would quote the body.
    throw new ApiError('invalid_body', `Failed to parse the request body as ${kind}.`, { cause });
  }
}
