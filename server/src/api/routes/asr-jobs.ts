import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { JobUpdate } from '../../domain/transcription/job-followers.ts';
import type { JobWithResult } from '../../domain/transcription/transcription-jobs.ts';
import type { ApiDeps, TranscriptionDeps } from '../dependencies.ts';
import { disconnectSignal } from '../responses/byte-stream.ts';
import { type ServerEvent, streamEvents } from '../responses/event-stream.ts';
import { chooseFormat, wantsEvents, writeTranscript } from '../responses/transcript-response.ts';
import { errorResponses } from '../schemas/error-body.ts';
import { AsrJobSchema, toAsrJobBody, toProgressBody } from '../schemas/transcription/asr-job.ts';
import { TRANSCRIPT_FORMATS, toPhraseBody } from '../schemas/transcription/transcript.ts';

const PARAMS = z.object({ id: z.string().describe('The id of a job of `POST /v1/asr?async=true`.') });

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
          ...errorResponses(
            'invalid_request',
            'invalid_api_key',
            'insufficient_scope',
            'job_not_found',
            'too_many_connections',
          ),
        },
      },
    },
    async (request, reply) => {
      const { accountId } = request.caller;
      const { id } = request.params;
      const { accept } = request.headers;
      const find = () => deps.jobs.find(accountId, id);
      if (wantsEvents(accept)) {
        const updates = deps.jobs.follow(accountId, id, disconnectSignal(reply.raw));
        await streamEvents(reply, toServerEvents(updates, find), {
          stallMs: deps.config.streamStallSeconds * 1000,
        });
        return;
      }
      const found = await find();
      const requested = chooseFormat(request.query.format, accept);
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
async function* toServerEvents(
  updates: AsyncIterable<JobUpdate>,
  find: () => Promise<JobWithResult>,
): AsyncGenerator<ServerEvent> {
  let last = '';
  for await (const { job, segments } of updates) {
    for (const segment of segments) yield { event: 'segment', data: toPhraseBody(segment) };
    const progress = toProgressBody(job);
    if (JSON.stringify(progress) !== last) yield { event: 'progress', data: progress };
    last = JSON.stringify(progress);
    if (job.finishedAtMs === undefined) continue;
    const found = await find();
    yield { event: 'finish', data: toAsrJobBody(found, found.job.view) };
  }
}
