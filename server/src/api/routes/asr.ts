import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { TranscriptView } from '../../domain/transcription/job-store.ts';
import type { TranscriptionSubmission } from '../../domain/transcription/transcription-jobs.ts';
import {
  TRANSCRIPTION_MODELS,
  type TranscriptionEvent,
} from '../../domain/transcription/transcription-service.ts';
import type { ApiDeps, TranscriptionDeps } from '../dependencies.ts';
import { createIdempotently, type Exchange, IDEMPOTENCY_ERRORS } from '../metering/idempotent-request.ts';
import { meterTranscription } from '../metering/metered-transcription.ts';
import type { ServerEvent } from '../responses/event-stream.ts';
import { chooseFormat, wantsEvents, writeTranscript } from '../responses/transcript-response.ts';
import { errorResponses } from '../schemas/error-body.ts';
import { AsrJobSchema, toAsrJobBody, toProgressBody } from '../schemas/transcription/asr-job.ts';
import {
  AsrRequestSchema,
  resolveTranscriptionModel,
  toTranscriptionOptions,
} from '../schemas/transcription/asr-request.ts';
import {
  TRANSCRIPT_FORMATS,
  TranscriptSchema,
  toPhraseBody,
  toTranscriptBody,
  transcriptContentOf,
} from '../schemas/transcription/transcript.ts';
import { addRecordingForms } from '../uploads/recording-form.ts';
import type { UploadedRecording } from '../uploads/uploaded-recording.ts';

type AsrDeps = TranscriptionDeps & Pick<ApiDeps, 'config' | 'accounting'>;

/** Values of a flag in the query, in any case. */
const TRUTHY = ['true', '1', 'yes', 'on', 'y', 'enabled'];
const FALSY = ['false', '0', 'no', 'off', 'n', 'disabled'];

/** The response formats of a transcript. */
const transcriptContent = {
  'application/json': { schema: TranscriptSchema },
  'text/plain': { schema: z.string() },
  'application/x-subrip': { schema: z.string() },
  'text/vtt': { schema: z.string() },
  'text/event-stream': { schema: z.string() },
};

export const asrRoutes: FastifyPluginAsyncZod<AsrDeps> = async (app, deps) => {
  addRecordingForms(app, { ...deps, field: 'audio' });
  app.post(
    '/v1/asr',
    {
      config: { scope: 'asr', metering: { service: 'asr', modelOf: resolveTranscriptionModel } },
      schema: {
        operationId: 'createTranscript',
        summary: 'Turn speech into text',
        description:
          'With `async=true` the recording is transcribed in the background. With `Accept: text/event-stream` the response is a stream of `progress`, `segment` and `finish` events.',
        tags: ['transcription'],
        consumes: ['multipart/form-data', 'application/msgpack'],
        headers: z.looseObject({
          model: z
            .string()
            .optional()
            .describe(`One of ${TRANSCRIPTION_MODELS.join(', ')}. Absent or unknown: the first.`),
        }),
        querystring: z.object({
          async: z
            .stringbool({ truthy: TRUTHY, falsy: FALSY })
            .meta({ enum: [...TRUTHY, ...FALSY] })
            .optional()
            .describe('Return a job at once; `GET /v1/asr/{id}` gives its state.'),
          format: z.enum(TRANSCRIPT_FORMATS).optional().describe('Same as the field `format`.'),
        }),
        body: AsrRequestSchema,
        response: {
          200: {
            description: 'The transcript, in the requested format.',
            content: transcriptContent,
          },
          202: { description: 'The job.', content: { 'application/json': { schema: AsrJobSchema } } },
          ...errorResponses(
            'invalid_request',
            'invalid_body',
            'invalid_audio',
            'audio_too_short',
            'audio_too_long',
            'audio_too_costly',
            'language_not_supported',
            'invalid_api_key',
            'insufficient_balance',
            'spend_cap_reached',
            'insufficient_scope',
            'rate_limited',
            'concurrency_exceeded',
            ...IDEMPOTENCY_ERRORS,
            'request_too_large',
            'unsupported_media_type',
            'queue_full',
            'too_many_uploads',
            'job_limit',
            'engine_failed',
            'engine_unavailable',
          ),
        },
      },
    },
    async (request, reply) => {
      const { body, query, headers } = request;
      const options = toTranscriptionOptions(body, resolveTranscriptionModel(headers.model ?? body.model));
      const view: TranscriptView = {
        format: chooseFormat(body.format ?? query.format, headers.accept),
        ignoreTimestamps: body.ignore_timestamps,
      };
      reply.header('x-mynah-model', options.model);
      if (query.async) {
        await submitJob(deps, { request, reply }, { upload: body.audio, options, view });
        return;
      }
      const isStreamed = wantsEvents(headers.accept);
      await meterTranscription(
        deps,
        { request, reply },
        {
          options,
          audio: body.audio,
          content: [view, isStreamed],
          output: isStreamed
            ? { kind: 'events', write: (events) => toServerEvents(events, view, request.id) }
            : { kind: 'document', write: (transcript) => writeTranscript(transcript, view, request.id) },
        },
      );
    },
  );
};

/** Responds with a job, which transcribes the recording in the background. */
async function submitJob(
  { jobs, accounting }: Pick<AsrDeps, 'jobs' | 'accounting'>,
  { request, reply }: Exchange,
  work: Pick<TranscriptionSubmission, 'options' | 'view'> & { readonly upload: UploadedRecording },
): Promise<void> {
  const { caller } = request;
  const content = [work.options, work.view, work.upload.sha256];
  const headersOf = ({ id }: { readonly id: string }) => ({ location: `/v1/asr/${id}` });
  await createIdempotently(
    accounting.idempotency,
    { request, reply },
    { status: 202, content, headersOf },
    async (attempt) => {
      const id = await jobs.submit({
        ...work,
        caller,
        id: attempt && `asr_${attempt.resourceId.slice(0, 24)}`,
      });
      return toAsrJobBody(await jobs.find(caller.accountId, id), work.view);
    },
  );
}

async function* toServerEvents(
  work: AsyncIterable<TranscriptionEvent>,
  view: TranscriptView,
  requestId: string,
): AsyncGenerator<ServerEvent> {
  for await (const event of work) {
    if (event.type === 'segment') yield { event: 'segment', data: toPhraseBody(event.segment) };
    else if (event.type === 'progress') yield { event: 'progress', data: toProgressBody(event) };
    else
      yield {
        event: 'finish',
        data: toTranscriptBody(event.transcript, { requestId, ...transcriptContentOf(view) }),
      };
  }
}
