import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Unpackr } from 'msgpackr';
import { ApiError } from '../../errors.ts';
import { toUploadError } from './multipart-form.ts';
import { tooLarge } from './received-form.ts';

/** A file in a form. */
export interface FormFile {
  readonly filename: string;
  readonly bytes: Uint8Array;
}

/** A form however it came: every field with all its values, in order. */
export type PlainForm = Readonly<Record<string, readonly unknown[]>>;

const FIELDS_MAX = 256;
const FIELD_MAX_BYTES = 64 * 1024;
const FILES_MAX = 32;
const MSGPACK_TYPES = ['application/msgpack', 'application/x-msgpack', 'application/vnd.msgpack'];
const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true, int64AsType: 'number' });

/**
 * Lets the routes of this plugin take the same fields as multipart, urlencoded, JSON or MessagePack. The body of a
 * request is then a `PlainForm`. Fields whose names end in `[]` lose that.
 */
export async function addPlainForms(
  app: FastifyInstance,
  options: { readonly maxBytes: number; readonly fileFields: readonly string[] },
): Promise<void> {
  app.removeAllContentTypeParsers();
  await app.register(multipart);
  const parse = (type: string | string[], read: (body: Buffer) => PlainForm) =>
    app.addContentTypeParser(
      type,
      { parseAs: 'buffer', bodyLimit: options.maxBytes },
      async (_request: unknown, body: Buffer) => read(body),
    );
  parse('application/x-www-form-urlencoded', (body) => fromPairs(new URLSearchParams(body.toString('utf8'))));
  parse('application/json', (body) => fromObject(parsed('JSON', () => JSON.parse(body.toString('utf8')))));
  parse(MSGPACK_TYPES, (body) => fromObject(parsed('MsgPack', () => unpackr.unpack(body))));
  app.addContentTypeParser('*', async () => {
    throw new ApiError(
      'unsupported_media_type',
      'Unsupported content type. Send `multipart/form-data`, `application/x-www-form-urlencoded`, `application/json` or `application/msgpack`.',
    );
  });
  app.addHook('preValidation', async (request) => {
    if (request.isMultipart()) request.body = await readMultipart(request, options);
  });
}

async function readMultipart(
  request: FastifyRequest,
  { maxBytes, fileFields }: { readonly maxBytes: number; readonly fileFields: readonly string[] },
): Promise<PlainForm> {
  const form = new Map<string, unknown[]>();
  let room = maxBytes;
  try {
    const parts = request.parts({
      limits: { fileSize: maxBytes, files: FILES_MAX, fields: FIELDS_MAX, fieldSize: FIELD_MAX_BYTES },
      isPartAFile: (field, contentType, fileName) =>
        fileFields.includes(plainName(field ?? '')) ||
        fileName !== undefined ||
        contentType === 'application/octet-stream',
    });
    for await (const part of parts) {
      if (part.type === 'field') {
        if (part.valueTruncated)
          throw new ApiError('request_too_large', `\`${part.fieldname}\` is too long.`);
        add(form, part.fieldname, part.value);
      } else {
        const bytes = await part.toBuffer();
        room -= bytes.length;
        if (room < 0) throw tooLarge(maxBytes);
        add(form, part.fieldname, { filename: part.filename ?? 'upload', bytes } satisfies FormFile);
      }
    }
  } catch (error) {
    throw toUploadError(error);
  }
  return Object.fromEntries(form);
}

function fromPairs(pairs: Iterable<[string, string]>): PlainForm {
  const form = new Map<string, unknown[]>();
  for (const [name, value] of pairs) add(form, name, value);
  return Object.fromEntries(form);
}

/** Null is as good as absent. */
function fromObject(value: unknown): PlainForm {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ApiError('invalid_body', 'The request body is not an object.');
  }
  const form = new Map<string, unknown[]>();
  for (const [name, content] of Object.entries(value)) {
    for (const item of Array.isArray(content) ? content : [content]) {
      if (item !== null && item !== undefined) add(form, name, item);
    }
  }
  return Object.fromEntries(form);
}

function add(form: Map<string, unknown[]>, field: string, value: unknown): void {
  const name = plainName(field);
  const known = form.get(name);
  if (known === undefined) form.set(name, [value]);
  else known.push(value);
}

function plainName(field: string): string {
  return field.endsWith('[]') ? field.slice(0, -2) : field;
}

function parsed(kind: string, read: () => unknown): unknown {
  try {
    return read();
  } catch (cause) {
    throw new ApiError('invalid_body', `Failed to parse the request body as ${kind}.`, { cause });
  }
}
