import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { JobWithResult } from '../../domain/transcription/transcription-jobs.ts';
import type { ApiDeps, TranscriptionDeps } from '../dependencies.ts';
import { disconnectSignal } from '../responses/byte-stream.ts';
import { type ServerEvent, streamEvents } from '../responses/event-stream.ts';
import { chooseFormat, wantsEvents, writeTranscript } from '../responses/transcript-response.ts';
import { AsrJobSchema, toAsrJobBody, toProgressBody } from '../schemas/asr-job.ts';
import { errorResponses } from '../schemas/error-body.ts';
import { TRANSCRIPT_FORMATS, type TranscriptOptions, toPhraseBody } from '../schemas/transcript.ts';

const PARAMS = z.object({ id: z.string().describe('The id of a job of `POST /v1/asr?async=true`.') });
/** How often a client that follows a job is told. */
const FOLLOW_EVERY_MS = 500;

export const asrJobRoutes: FastifyPluginAsyncZod<
  Pick<TranscriptionDeps, 'jobs'> & Pick<ApiDeps, 'config'>
> = async (app, deps) => {
  app.get(
    '/v1/asr/:id',
    {
      config: { scope: 'asr' },
      schema: {
        operationId: 'getTranscriptionJob',
        summary: 'How a transcription in the background goes',
        description:
          'With `format` or `Accept` of a text format the result so far is the whole answer. With `Accept: text/event-stream` the job is followed to its end.',
        tags: ['transcription'],
        params: PARAMS,
        querystring: z.object({ format: z.enum(TRANSCRIPT_FORMATS).optional() }),
        response: {
          200: {
            description: 'The job, with what was heard so far.',
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
      const accountId = request.caller.accountId;
      const { id } = request.params;
      const { accept } = request.headers;
      const find = () => deps.jobs.find(accountId, id);
      const found = await find();
      const asked = chooseFormat(request.query.format, accept);
      if (wantsEvents(accept)) {
        const events = follow(find, wishOf(found), disconnectSignal(reply.raw));
        await streamEvents(reply, events, { stallMs: deps.config.streamStallSeconds * 1000 });
        return;
      }
      if (asked === 'json' || asked === 'verbose') {
        const wish = asked === 'verbose' ? { ...wishOf(found), format: asked } : wishOf(found);
        return toAsrJobBody(found, wish);
      }
      const { contentType, body } = writeTranscript(
        found.transcript,
        { ...wishOf(found), format: asked },
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
        summary: 'Stop a transcription in the background',
        description: 'A job that is over stays as it is.',
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
      return toAsrJobBody(found, wishOf(found));
    },
  );
};

/** What the client asked for when it sent the recording. */
function wishOf({ job }: JobWithResult): TranscriptOptions {
  return job.view;
}

/** Tells everything that was heard, and then what is new, until the job is over. */
async function* follow(
  find: () => Promise<JobWithResult>,
  wish: TranscriptOptions,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent> {
  let told = 0;
  for (let last = ''; ; await delay(FOLLOW_EVERY_MS, undefined, { signal })) {
    const found = await find();
    for (const segment of found.transcript.segments.slice(told)) {
      yield { event: 'segment', data: toPhraseBody(segment) };
      told += 1;
    }
    const progress = toProgressBody(found.job);
    if (JSON.stringify(progress) !== last) yield { event: 'progress', data: progress };
    last = JSON.stringify(progress);
    if (found.job.finishedAtMs !== undefined) {
      yield { event: 'finish', data: toAsrJobBody(found, wish) };
      return;
    }
  }
}
