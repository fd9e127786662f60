import { buffer } from 'node:stream/consumers';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../../errors.ts';
import { MSGPACK_TYPES } from '../bodies/decode-msgpack.ts';
import { type BodyPace, readBody } from '../bodies/read-body.ts';
import {
  createFieldTooLongError,
  createUploadTooLargeError,
  FIELD_MAX_BYTES,
  FormBuilder,
  type FormBuilderOptions,
  type UploadForm,
} from './form-builder.ts';
import { readJsonForm } from './json-form.ts';
import { readMsgpackForm } from './msgpack-form.ts';
import { readMultipartForm } from './multipart-form.ts';
import { boundaryOf } from './multipart-reader.ts';

/** Size of a body beside its files: names, headers, delimiters, plain fields. */
const ENVELOPE_MAX_BYTES = 4 * 1024 * 1024;
/** Encoded characters per byte of a file: base64 has 4/3, a JSON array of numbers up to 4. */
const CHARACTERS_PER_BYTE_MAX = 4;
const URLENCODED_MAX_BYTES = 1024 * 1024;

interface Encoding {
  readonly types: readonly string[];
  /** The size limit of a body whose files have at most `maxBytes`. */
  readonly bodyMaxBytes: (maxBytes: number) => number;
  readonly read: (body: AsyncGenerator<Buffer>, form: FormBuilder, contentType: string) => Promise<void>;
}

const ENCODINGS = {
  multipart: {
    types: ['multipart/form-data'],
    bodyMaxBytes: (maxBytes) => maxBytes + ENVELOPE_MAX_BYTES,
    read: async (body, form, contentType) => readMultipartForm(body, form, boundaryOf(contentType)),
  },
  urlencoded: {
    types: ['application/x-www-form-urlencoded'],
    bodyMaxBytes: (maxBytes) => Math.min(URLENCODED_MAX_BYTES, maxBytes),
    read: readUrlencodedForm,
  },
  json: {
    types: ['application/json'],
    bodyMaxBytes: (maxBytes) => CHARACTERS_PER_BYTE_MAX * maxBytes + ENVELOPE_MAX_BYTES,
    read: readJsonForm,
  },
  msgpack: {
    types: MSGPACK_TYPES,
    bodyMaxBytes: (maxBytes) => CHARACTERS_PER_BYTE_MAX * maxBytes + ENVELOPE_MAX_BYTES,
    read: readMsgpackForm,
  },
} as const satisfies Record<string, Encoding>;

export type FormEncoding = keyof typeof ENCODINGS;

export interface UploadFormOptions extends Omit<FormBuilderOptions, 'onFileBytes' | 'onRecording'> {
  readonly encodings: readonly FormEncoding[];
  readonly pace: BodyPace;
  /** Called when the first recording of a POST begins to arrive. The signal is aborted when the request has ended. */
  readonly onRecording?: ((signal: AbortSignal) => void) | undefined;
  /** The body of the request, from the form. Default: the form itself. */
  readonly toBody?: (form: UploadForm) => unknown;
}

/**
 * Reads the bodies of all routes of this plugin as forms, in the given encodings. Recordings are streamed to disk,
 * and removed when the response is complete or the client has disconnected.
 */
export function addUploadForms(app: FastifyInstance, options: UploadFormOptions): void {
  const encodings: readonly Encoding[] = options.encodings.map((name) => ENCODINGS[name]);
  const known = encodings.flatMap(({ types }) => types);
  app.removeAllContentTypeParsers();
  // The hook below reads the body as a stream.
  app.addContentTypeParser(known, async () => undefined);
  app.addContentTypeParser('*', async () => {
    const names = encodings.map(({ types }) => `\`${types[0]}\``).join(', ');
    throw new ApiError('unsupported_media_type', `Unsupported content type. Send one of ${names}.`);
  });
  app.addHook('preValidation', async (request, reply) => {
    const encoding = encodings.find(({ types }) => types.includes(request.mediaType ?? ''));
    if (encoding === undefined || request.method === 'GET') return;
    const share = await app.uploadQuota.open(request.caller?.accountId ?? '');
    const ended = new AbortController();
    const onRecording = request.method === 'POST' ? () => options.onRecording?.(ended.signal) : undefined;
    const form = new FormBuilder({ ...options, onFileBytes: share.add, onRecording });
    const reading = readForm(request, encoding, form, options);
    // `close` is emitted also after a failure and after a disconnect. Files that are being written are removed later.
    const dispose = () => {
      ended.abort();
      reading
        .catch(() => {})
        .then(() => form.dispose())
        .finally(share.close)
        .catch((err) => request.log.warn({ err }, 'an uploaded file could not be removed'));
    };
    if (reply.raw.closed) dispose();
    else reply.raw.once('close', dispose);
    await reading;
    request.body = options.toBody?.(form.form()) ?? form.form();
  });
}

async function readForm(
  { raw, headers }: FastifyRequest,
  encoding: Encoding,
  form: FormBuilder,
  options: Pick<UploadFormOptions, 'maxBytes' | 'pace'>,
): Promise<void> {
  const tooLarge = () => createUploadTooLargeError(options.maxBytes);
  const maxBytes = encoding.bodyMaxBytes(options.maxBytes);
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const body = readBody(raw, { ...options.pace, maxBytes }, tooLarge);
  await encoding.read(body, form, headers['content-type'] ?? '');
}

async function readUrlencodedForm(body: AsyncGenerator<Buffer>, form: FormBuilder): Promise<void> {
  for (const [name, value] of new URLSearchParams((await buffer(body)).toString('utf8'))) {
    if (value.length > FIELD_MAX_BYTES && !form.isFile(name)) throw createFieldTooLongError(name);
    form.addField(name, value, value.length);
  }
}
