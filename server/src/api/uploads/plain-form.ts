import { buffer } from 'node:stream/consumers';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../../errors.ts';
import { MSGPACK_TYPES } from '../plugins/body-parsers.ts';
import { FIELD_MAX_BYTES, FormBuilder, type FormBuilderOptions, fieldTooLong } from './form-builder.ts';
import { readJsonForm } from './plain-json.ts';
import { readMsgpackForm } from './plain-msgpack.ts';
import { readMultipartForm } from './plain-multipart.ts';
import { tooLarge, type UploadLimits, watched } from './received-form.ts';

const URLENCODED = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
/** A byte takes up to so many letters: base64 has four for three bytes, a list of numbers four for one. */
const LETTERS_PER_BYTE = 4;
/** Room for what surrounds files: names, quotes, other fields. */
const ENVELOPE_MAX_BYTES = 1024 * 1024;

export type PlainFormOptions = FormBuilderOptions & UploadLimits;

/**
 * Lets the routes of this plugin take the same fields as multipart, urlencoded, JSON or MessagePack. The body of a
 * request is then a `PlainForm`. Its recordings go to disk while they arrive, and are gone when the request is over.
 */
export async function addPlainForms(app: FastifyInstance, options: PlainFormOptions): Promise<void> {
  app.removeAllContentTypeParsers();
  await app.register(multipart);
  // They are read below, as streams.
  app.addContentTypeParser([URLENCODED, JSON_TYPE, ...MSGPACK_TYPES], async () => undefined);
  app.addContentTypeParser('*', async () => {
    throw new ApiError(
      'unsupported_media_type',
      'Unsupported content type. Send `multipart/form-data`, `application/x-www-form-urlencoded`, `application/json` or `application/msgpack`.',
    );
  });
  app.addHook('preValidation', async (request, reply) => {
    if (request.mediaType === undefined || request.method === 'GET') return;
    const form = new FormBuilder(options);
    const reading = readForm(request, form, options);
    // Comes also when the client leaves, or when the request fails; what is being written then is written first.
    reply.raw.once('close', () => {
      reading
        .catch(() => {})
        .then(() => form.dispose())
        .catch((err) => request.log.warn({ err }, 'a file stays'));
    });
    await reading;
    request.body = form.form();
  });
}

function readForm(request: FastifyRequest, form: FormBuilder, limits: UploadLimits): Promise<void> {
  const { maxBytes, stallMs } = limits;
  if (request.isMultipart()) return readMultipartForm(request, form, limits);
  const read = async (letterMaxBytes: number, work: (body: AsyncGenerator<Buffer>) => Promise<void>) => {
    const announced = Number(request.headers['content-length'] ?? 0);
    if (announced > letterMaxBytes) throw tooLarge(maxBytes);
    await work(watched(request.raw, { maxBytes: letterMaxBytes, stallMs }));
  };
  if (request.mediaType === URLENCODED) {
    return read(Math.min(ENVELOPE_MAX_BYTES, maxBytes), (body) => readUrlencodedForm(body, form));
  }
  if (request.mediaType === JSON_TYPE) {
    return read(LETTERS_PER_BYTE * maxBytes + ENVELOPE_MAX_BYTES, (body) => readJsonForm(body, form));
  }
  return read(LETTERS_PER_BYTE * maxBytes + ENVELOPE_MAX_BYTES, (body) => readMsgpackForm(body, form));
}

async function readUrlencodedForm(body: AsyncGenerator<Buffer>, form: FormBuilder): Promise<void> {
  for (const [name, value] of new URLSearchParams((await buffer(body)).toString('utf8'))) {
    if (value.length > FIELD_MAX_BYTES && !form.isFile(name)) throw fieldTooLong(name);
    form.addField(name, value);
  }
}
