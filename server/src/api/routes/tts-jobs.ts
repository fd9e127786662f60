import type { Readable } from 'node:stream';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { CAPTION_EXTENSIONS } from '../../domain/audiobooks/audiobook-files.ts';
import { ApiError } from '../../errors.ts';
import { parseJson } from '../bodies/parse-json.ts';
import { uploadPace } from '../bodies/read-body.ts';
import type { ApiDeps } from '../dependencies.ts';
import { createIdempotently, IDEMPOTENCY_ERRORS } from '../metering/idempotent-request.ts';
import { sendFile } from '../responses/file-response.ts';
import { errorResponses } from '../schemas/error-body.ts';
import {
  AudiobookRequestSchema,
  AudiobookSchema,
  BookUpload,
  toAudiobookBody,
  toAudiobookRequest,
  toListedAudiobook,
} from '../schemas/speech/audiobook.ts';
import { SpeechHeadersSchema } from '../schemas/speech/tts-request.ts';
import type { UploadForm } from '../uploads/form-builder.ts';
import { addUploadForms } from '../uploads/upload-forms.ts';
import { modelNameOf } from '../wire/request-headers.ts';
import { resolveWireModel } from '../wire/wire-models.ts';

type AudiobookRouteDeps = Pick<ApiDeps, 'audiobooks' | 'config' | 'accounting' | 'transcription'>;

const PARAMS = z.object({ id: z.string().max(100).describe('The id of a job of `POST /v1/tts/jobs`.') });
const CONTENT_TYPES = {
  mp3: 'audio/mpeg',
  m4b: 'audio/mp4',
  vtt: 'text/vtt; charset=utf-8',
  srt: 'application/x-subrip; charset=utf-8',
} as const;
const COMMON_ERRORS = ['invalid_api_key', 'insufficient_scope', 'job_not_found'] as const;
const fileOf = (description: string, types: readonly string[]) => ({
  description,
  content: Object.fromEntries(types.map((type) => [type, { schema: z.any() }])),
});
const jobResponse = { description: 'The job.', content: { 'application/json': { schema: AudiobookSchema } } };

/** Books that are spoken in the background. */
export const ttsJobRoutes: FastifyPluginAsyncZod<AudiobookRouteDeps> = async (app, deps) => {
  addBookUploads(app, deps);
  await app.register(submissionRoute, deps);
  await app.register(jobRoutes, deps);
  await app.register(fileRoutes, deps);
};

/** A book is a file in a form, or text in a JSON body. */
function addBookUploads(app: FastifyInstance, { config, transcription }: AudiobookRouteDeps): void {
  addUploadForms(app, {
    encodings: ['multipart'],
    recordings: ['file'],
    files: [],
    acceptsBase64: false,
    maxBytes: config.bookUploadMaxBytes,
    pace: uploadPace(config),
    uploads: transcription.uploads,
    toBody: toFields,
  });
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: Readable) =>
    parseJson(await app.bodyMemory.read(request, payload)),
  );
}

const submissionRoute: FastifyPluginAsyncZod<AudiobookRouteDeps> = async (
  app,
  { audiobooks, config, accounting },
) => {
  const modelOf = (header: string | undefined) => resolveWireModel(header, config);
  app.post(
    '/v1/tts/jobs',
    {
      config: { scope: 'tts', metering: { service: 'tts', modelOf } },
      schema: {
        operationId: 'createAudiobook',
        summary: 'Turn a book into an audiobook',
        description:
          'The book is spoken in the background, section by section; each section is charged when it is spoken. A form may have the field `options` with the JSON object of all other fields.',
        tags: ['speech'],
        consumes: ['application/json', 'multipart/form-data'],
        headers: SpeechHeadersSchema,
        body: AudiobookRequestSchema,
        response: {
          202: jobResponse,
          ...errorResponses(
            'invalid_request',
            'invalid_body',
            'invalid_book',
            'invalid_phonemes',
            'voice_not_found',
            'not_supported',
            'invalid_api_key',
            'insufficient_balance',
            'insufficient_scope',
            'request_too_large',
            'body_too_large',
            'text_too_long',
            'unsupported_media_type',
            'rate_limited',
            'job_limit',
            'queue_full',
            'too_many_uploads',
            ...IDEMPOTENCY_ERRORS,
          ),
        },
      },
    },
    async (request, reply) => {
      const { body, caller } = request;
      const work = toAudiobookRequest(body, modelOf(modelNameOf(request)));
      const content = [work.options, work.format, body.text, body.file?.recording.sha256];
      const headersOf = ({ id }: { readonly id: string }) => ({ location: `/v1/tts/jobs/${id}` });
      await createIdempotently(
        accounting.idempotency,
        { request, reply },
        { status: 202, content, headersOf },
        async (attempt) => {
          const id = attempt && `book_${attempt.resourceId.slice(0, 24)}`;
          return toAudiobookBody(await audiobooks.submit({ ...work, caller, id }));
        },
      );
    },
  );
};

const jobRoutes: FastifyPluginAsyncZod<AudiobookRouteDeps> = async (app, { audiobooks }) => {
  app.get(
    '/v1/tts/jobs',
    {
      config: { scope: 'tts' },
      schema: {
        operationId: 'listAudiobooks',
        summary: 'List audiobooks',
        description: 'The newest 100 jobs of the account.',
        tags: ['speech'],
        response: {
          200: {
            description: 'The jobs, the newest first.',
            content: {
              'application/json': { schema: z.object({ items: z.array(AudiobookSchema).max(100) }) },
            },
          },
          ...errorResponses('invalid_api_key', 'insufficient_scope'),
        },
      },
    },
    async ({ caller }, reply) => {
      const items: string[] = [];
      for await (const job of audiobooks.list(caller.accountId)) {
        items.push(JSON.stringify(AudiobookSchema.parse(toListedAudiobook(job))));
        // A list may have a hundred thousand chapters: other requests run in between.
        await yieldToEventLoop();
      }
      reply.type('application/json; charset=utf-8');
      // The schema describes the JSON value.
      return reply.send(`{"items":[${items.join()}]}` as never);
    },
  );

  app.get(
    '/v1/tts/jobs/:id',
    {
      config: { scope: 'tts' },
      schema: {
        operationId: 'getAudiobook',
        summary: 'Get an audiobook',
        tags: ['speech'],
        params: PARAMS,
        response: { 200: jobResponse, ...errorResponses(...COMMON_ERRORS) },
      },
    },
    async ({ caller, params: { id } }) => toAudiobookBody(await audiobooks.find(caller.accountId, id)),
  );

  for (const action of ['pause', 'resume'] as const) {
    app.post(
      `/v1/tts/jobs/:id/${action}`,
      {
        config: { scope: 'tts' },
        schema: {
          operationId: `${action}Audiobook`,
          summary: `${action === 'pause' ? 'Pause' : 'Resume'} an audiobook`,
          description:
            action === 'pause'
              ? 'The spoken sections are kept.'
              : 'Continues a paused or failed job. Spoken sections are neither repeated nor charged again.',
          tags: ['speech'],
          params: PARAMS,
          response: { 200: jobResponse, ...errorResponses(...COMMON_ERRORS, 'job_state') },
        },
      },
      async ({ caller, params: { id } }) => toAudiobookBody(await audiobooks[action](caller.accountId, id)),
    );
  }

  app.delete(
    '/v1/tts/jobs/:id',
    {
      config: { scope: 'tts' },
      schema: {
        operationId: 'deleteAudiobook',
        summary: 'Delete an audiobook',
        description: 'Stops the job and deletes its audio. Spoken sections remain charged.',
        tags: ['speech'],
        params: PARAMS,
        response: { 204: z.void().describe('Deleted.'), ...errorResponses(...COMMON_ERRORS) },
      },
    },
    async ({ caller, params: { id } }, reply) => {
      await audiobooks.remove(caller.accountId, id);
      return reply.code(204).send();
    },
  );
};

/** Audio and captions of a finished audiobook. */
const fileRoutes: FastifyPluginAsyncZod<AudiobookRouteDeps> = async (app, { audiobooks, config }) => {
  const stallMs = config.streamStallSeconds * 1000;

  app.get(
    '/v1/tts/jobs/:id/audio',
    {
      config: { scope: 'tts' },
      schema: {
        operationId: 'getAudiobookAudio',
        summary: 'Get the audio file of an audiobook',
        tags: ['speech'],
        params: PARAMS,
        response: {
          200: fileOf('The audio file with its chapters.', [CONTENT_TYPES.mp3, CONTENT_TYPES.m4b]),
          ...errorResponses(...COMMON_ERRORS, 'job_state', 'storage_unavailable'),
        },
      },
    },
    async ({ caller, params: { id } }, reply) => {
      const { path, job } = await audiobooks.audioPath(caller.accountId, id);
      await sendFile(reply, path, { contentType: CONTENT_TYPES[job.options.format], stallMs });
    },
  );

  app.get(
    '/v1/tts/jobs/:id/captions',
    {
      config: { scope: 'tts' },
      schema: {
        operationId: 'getAudiobookCaptions',
        summary: 'Get the captions of an audiobook',
        tags: ['speech'],
        params: PARAMS,
        querystring: z.object({ format: z.enum(CAPTION_EXTENSIONS).default('vtt') }),
        response: {
          200: fileOf('The captions.', ['text/vtt', 'application/x-subrip']),
          ...errorResponses('invalid_request', ...COMMON_ERRORS, 'job_state', 'storage_unavailable'),
        },
      },
    },
    async ({ caller, params: { id }, query: { format } }, reply) => {
      const path = await audiobooks.captionsPath(caller.accountId, id, format);
      await sendFile(reply, path, { contentType: CONTENT_TYPES[format], stallMs });
    },
  );
};

/** The fields of a form. `options` holds fields as JSON; single fields take precedence. */
function toFields({ file, options, ...fields }: UploadForm): object {
  return {
    ...parseOptions(options?.at(-1)),
    ...Object.fromEntries(Object.entries(fields).map(([name, values]) => [name, values.at(-1)])),
    file: BookUpload.of(file?.at(-1)),
  };
}

function parseOptions(options: unknown): object {
  if (options === undefined) return {};
  const parsed = typeof options === 'string' ? parseJson(Buffer.from(options)) : options;
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed;
  throw new ApiError('invalid_body', '`options` must be a JSON object.');
}
