import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { TranscriptView } from '../../domain/transcription/job-store.ts';
import type { JobWithResult } from '../../domain/transcription/transcription-jobs.ts';
import type { ApiDeps, TranscriptionDeps } from '../dependencies.ts';
import { disconnectSignal } from '../responses/byte-stream.ts';
import { type ServerEvent, streamEvents } from '../responses/event-stream.ts';
import { chooseFormat, wantsEvents, writeTranscript } from '../responses/transcript-response.ts';
import { AsrJobSchema, toAsrJobBody, toProgressBody } from '../schemas/asr-job.ts';
import { errorResponses } from '../schemas/error-body.ts';
import { TRANSCRIPT_FORMATS, toPhraseBody } from '../schemas/transcript.ts';

const PARAMS = z.object({ id: z.string().describe('The id of a job of `POST /v1/asr?async=true`.') });
/** Interval at which a followed job is read. */
const POLL_INTERVAL_MS = 500;

export const asrJobRoutes: FastifyPluginAsyncZod<
  Pick<TranscriptionDeps, 'jobs'> & Pick<ApiDeps, 'config'>
> = async (app, deps) => {
  app.get(
    '/v1/asr/:id',
    {
      config: { scope: 'asr' },
      schema: {
        operationId: 'getTranscriptionJob',
        summary: 'Get a transcription job',
        description:
          'With `format` or `Accept` of a text format the response is the result so far. With `Accept: text/event-stream` it is a stream of events until the job is complete.',
        tags: ['transcription'],
        params: PARAMS,
        querystring: z.object({ format: z.enum(TRANSCRIPT_FORMATS).optional() }),
        response: {
          200: {
            description: 'The job, with the result so far.',
            content: {
              'application/json': { schema: AsrJobSchema },
              'text/plain': { schema: z.string() },
              'application/x-subrip': { schema: z.string() },
              'text/vtt': { schema: z.string() },
              'text/event-stream': { schema: z.string() },
            },
          },
          ...errorResponses('invalid_request', 'invalid_api_key', 'insufficient_scope', 'job_not_found'),
        },
      },
    },
    async (request, reply) => {
      const { accountId } = request.caller;
      const { id } = request.params;
      const { accept } = request.headers;
      const find = () => deps.jobs.find(accountId, id);
      const found = await find();
      const requested = chooseFormat(request.query.format, accept);
      if (wantsEvents(accept)) {
        const events = follow(find, found.job.view, disconnectSignal(reply.raw));
        await streamEvents(reply, events, { stallMs: deps.config.streamStallSeconds * 1000 });
        return;
      }
      if (requested === 'json' || requested === 'verbose') {
        const view = requested === 'verbose' ? { ...found.job.view, format: requested } : found.job.view;
        return toAsrJobBody(found, view);
      }
      const { contentType, body } = writeTranscript(
        found.transcript,
        { ...found.job.view, format: requested },
        id,
      );
      return reply.type(contentType).send(body as string);
    },
  );

  app.delete(
    '/v1/asr/:id',
    {
      config: { scope: 'asr' },
      schema: {
        operationId: 'cancelTranscriptionJob',
        summary: 'Cancel a transcription job',
        description: 'A completed job is not changed.',
        tags: ['transcription'],
        params: PARAMS,
        response: {
          200: { description: 'The job.', content: { 'application/json': { schema: AsrJobSchema } } },
          ...errorResponses('invalid_api_key', 'insufficient_scope', 'job_not_found'),
        },
      },
    },
    async (request) => {
      const found = await deps.jobs.cancel(request.caller.accountId, request.params.id);
      return toAsrJobBody(found, found.job.view);
    },
  );
};

/** The segments so far, then new segments and progress until the job is complete. */
async function* follow(
  find: () => Promise<JobWithResult>,
  view: TranscriptView,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent> {
  let sentCount = 0;
  for (let last = ''; ; await delay(POLL_INTERVAL_MS, undefined, { signal })) {
    const found = await find();
    for (const segment of found.transcript.segments.slice(sentCount)) {
      yield { event: 'segment', data: toPhraseBody(segment) };
      sentCount += 1;
    }
    const progress = toProgressBody(found.job);
    if (JSON.stringify(progress) !== last) yield { event: 'progress', data: progress };
    last = JSON.stringify(progress);
    if (found.job.finishedAtMs !== undefined) {
      yield { event: 'finish', data: toAsrJobBody(found, view) };
      return;
    }
  }
}
