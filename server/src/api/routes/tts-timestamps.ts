import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { CAPTION_FORMATS, type CaptionMediaType } from '../../domain/captions/caption-file.ts';
import type { TimedAudio } from '../../domain/speech/timing/timed-audio.ts';
import type { ApiDeps } from '../dependencies.ts';
import { meterSpeech } from '../metering/metered-speech.ts';
import { speechContextOf, toSpeechRequest, warningHeader } from '../requests/speech-request.ts';
import { captionStream } from '../responses/caption-stream.ts';
import { TimingWriter } from '../responses/timed-events.ts';
import { errorResponses } from '../schemas/error-body.ts';
import { TimedSpeechEventSchema } from '../schemas/speech/timed-speech.ts';
import { SPEECH_ERRORS, SpeechHeadersSchema, TtsRequestSchema } from '../schemas/speech/tts-request.ts';
import { preferredType } from '../wire/accept.ts';
import { resolveWireModel } from '../wire/wire-models.ts';

const EVENT_STREAM = 'text/event-stream';
const CAPTION_TYPES = Object.keys(CAPTION_FORMATS) as CaptionMediaType[];

export const ttsTimestampRoutes: FastifyPluginAsyncZod<
  Pick<ApiDeps, 'speech' | 'config' | 'accounting' | 'pronunciations' | 'voiceResolver'>
> = async (app, deps) => {
  const modelOf = (header: string | undefined) => resolveWireModel(header, deps.config);
  app.post(
    '/v1/tts/stream/with-timestamp',
    {
      config: { scope: 'tts', metering: { service: 'tts', modelOf } },
      schema: {
        operationId: 'createTimedSpeech',
        summary: 'Turn text into speech with word timestamps',
        description:
          'Server-sent events with audio and word times. With `Accept: text/vtt` or `application/x-subrip` the response is a caption file of the whole text instead.',
        tags: ['speech'],
        consumes: ['application/json', 'application/msgpack'],
        headers: SpeechHeadersSchema,
        body: TtsRequestSchema,
        response: {
          200: {
            description: 'Each event is one `data:` line with a JSON object; the stream ends after the last.',
            content: {
              [EVENT_STREAM]: { schema: TimedSpeechEventSchema },
              ...Object.fromEntries(CAPTION_TYPES.map((type) => [type, { schema: z.string() }])),
            },
          },
          ...errorResponses(...SPEECH_ERRORS),
        },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const speechRequest = await toSpeechRequest(body, speechContextOf(request, deps), deps);
      const type = preferredType(request.headers.accept, [EVENT_STREAM, ...CAPTION_TYPES] as const);
      await meterSpeech(
        deps,
        { request, reply },
        {
          speech: speechRequest,
          content: [body, type],
          async begin(loaded, signal) {
            const { contentType: _, body: timed, ...speech } = await deps.speech.speakTimed(loaded, signal);
            return {
              ...speech,
              body: type === EVENT_STREAM ? eventStream(timed) : captionStream(timed, type),
              headers: {
                'content-type': `${type}; charset=utf-8`,
                // Disables buffering in proxies.
                'x-accel-buffering': 'no',
                vary: 'accept',
                ...warningHeader(body, speech.warnings),
              },
            };
          },
        },
      );
    },
  );
};

async function* eventStream(body: AsyncIterable<TimedAudio>): AsyncGenerator<Uint8Array> {
  const timings = new TimingWriter();
  for await (const timed of body) {
    const event = {
      audio_base64: Buffer.from(timed.audio).toString('base64'),
      ...timings.write(timed),
    };
    yield Buffer.from(`data: ${JSON.stringify(event)}\n\n`);
  }
}
