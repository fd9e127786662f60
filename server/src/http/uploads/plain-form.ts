import { buffer } from 'node:stream/consumers';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Unpackr } from 'msgpackr';
import { ApiError } from '../../errors.ts';
import type { Upload, UploadSpace } from '../../transcription/upload-space.ts';
import type { StoredAudio } from '../../voices/intake/stored-audio.ts';
import { toUploadError } from './multipart-form.ts';
import { tooLarge, type UploadLimits, watched } from './received-form.ts';
import { UploadedAudio } from './uploaded-audio.ts';

/** A file in a form. */
export interface FormFile {
  readonly filename: string;
  readonly bytes: Uint8Array;
}

/** A recording in a form. */
export interface FormRecording {
  readonly filename: string;
  readonly audio: StoredAudio;
}

/** A form however it came: every field with all its values, in order. */
export type PlainForm = Readonly<Record<string, readonly unknown[]>>;

const FIELDS_MAX = 256;
const FIELD_MAX_BYTES = 64 * 1024;
const FILES_MAX = 32;
const MSGPACK_TYPES = ['application/msgpack', 'application/x-msgpack', 'application/vnd.msgpack'];
const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true, int64AsType: 'number' });

export interface PlainFormOptions extends UploadLimits {
  /** Files that go to disk while they arrive, and are gone when the request is over. */
  readonly recordingFields: readonly string[];
  /** Small files. */
  readonly fileFields: readonly string[];
  readonly space: Pick<UploadSpace, 'create'>;
}

/**
 * Lets the routes of this plugin take the same fields as multipart, urlencoded, JSON or MessagePack. The body of a
 * request is then a `PlainForm`. Fields whose names end in `[]` lose that.
 */
export async function addPlainForms(app: FastifyInstance, options: PlainFormOptions): Promise<void> {
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
  app.addHook('preValidation', async (request, reply) => {
    if (!request.isMultipart()) return;
    const uploads: Upload[] = [];
    // Comes also when the client leaves, or when the request fails.
    reply.raw.once('close', () => {
      for (const upload of uploads) upload.remove().catch((err) => request.log.warn({ err }, 'a file stays'));
    });
    request.body = await readMultipart(request, options, (upload) => uploads.push(upload));
  });
}

async function readMultipart(
  request: FastifyRequest,
  { maxBytes, stallMs, recordingFields, fileFields, space }: PlainFormOptions,
  onUpload: (upload: Upload) => void,
): Promise<PlainForm> {
  const form = new Map<string, unknown[]>();
  let room = maxBytes;
  async function* within(bytes: AsyncIterable<Buffer>) {
    for await (const chunk of bytes) {
      room -= chunk.length;
      if (room < 0) throw tooLarge(maxBytes);
      yield chunk;
    }
  }
  const isFile = (field: string) => [...recordingFields, ...fileFields].includes(field);
  try {
    const parts = request.parts({
      limits: { fileSize: maxBytes, files: FILES_MAX, fields: FIELDS_MAX, fieldSize: FIELD_MAX_BYTES },
      isPartAFile: (field, contentType, fileName) =>
        isFile(plainName(field ?? '')) ||
        fileName !== undefined ||
        contentType === 'application/octet-stream',
    });
    for await (const part of parts) {
      if (part.type === 'field') {
        if (part.valueTruncated)
          throw new ApiError('request_too_large', `\`${part.fieldname}\` is too long.`);
        add(form, part.fieldname, part.value);
        continue;
      }
      const filename = part.filename ?? 'upload';
      const content = within(watched(part.file, { maxBytes, stallMs }));
      if (recordingFields.includes(plainName(part.fieldname))) {
        const upload = await space.create();
        onUpload(upload);
        const audio = await UploadedAudio.receive(upload, content);
        add(form, part.fieldname, { filename, audio } satisfies FormRecording);
      } else {
        add(form, part.fieldname, { filename, bytes: await buffer(content) } satisfies FormFile);
      }
      if (part.file.truncated) throw tooLarge(maxBytes);
    }
  } catch (error) {
    // Nobody takes the rest from the parser any more, which would hold it up, and with it the next request.
    request.raw.unpipe();
    request.raw.resume();
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
