import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { parseLanguageHint } from '../../../domain/transcription/language-hint.ts';
import type { Transcript } from '../../../domain/transcription/transcription-service.ts';
import type { ApiDeps, TranscriptionDeps } from '../../dependencies.ts';
import { meterTranscription, type TranscriptOutput } from '../../metering/metered-transcription.ts';
import { type TranscriptResponse, writeTranscript } from '../../responses/transcript-response.ts';
import { single } from '../../schemas/form-fields.ts';
import { SPEAKERS_MAX } from '../../schemas/transcription/asr-request.ts';
import { addRecordingForms } from '../../uploads/recording-form.ts';
import type { UploadedRecording } from '../../uploads/uploaded-recording.ts';
import { resolveOpenAiTranscriptionModel } from '../model-names.ts';
import { rejectNativeOptions } from '../native-options.ts';
import { type BodyContent, toDiarizedBody, toJsonBody, toTranscriptEvents } from './transcript-bodies.ts';
import { toVerbose } from './verbose-transcript.ts';

const TranscriptionForm = z.looseObject({
  audio: z.custom<UploadedRecording>((value) => value !== undefined, 'missing field `file`'),
  model: z.string().default('whisper-1'),
  language: z.string().nullish(),
  prompt: z.string().max(4000).nullish(),
  response_format: z.enum(['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json']).nullish(),
  ...Object.fromEntries(
    ['known_speaker_names', 'known_speaker_references'].map((field) => [
      field,
      z.undefined(`\`${field}\` is not supported`).optional(),
    ]),
  ),
  include: z
    .union([z.string().max(100), z.array(z.string().max(100)).max(16)])
    .transform((values) => [values].flat())
    .nullish(),
  stream: single(z.enum(['true', 'false', '']).nullish()),
});

const JSON_TYPE = 'application/json; charset=utf-8';

/** OpenAI's `POST …/audio/transcriptions`. */
export const openAiTranscriptionRoutes: FastifyPluginAsyncZod<
  TranscriptionDeps & Pick<ApiDeps, 'config' | 'accounting'>
> = async (app, deps) => {
  addRecordingForms(app, { ...deps, field: 'file' });
  app.post(
    '/audio/transcriptions',
    {
      config: { scope: 'asr', metering: { service: 'asr', modelOf: () => 'transcribe-1' } },
      schema: { hide: true, body: TranscriptionForm },
    },
    async (request, reply) => {
      const { body } = request;
      rejectNativeOptions(request);
      reply.header('x-generation-id', request.id);
      const format = body.response_format ?? 'json';
      const isDiarized = format === 'diarized_json';
      const named = resolveOpenAiTranscriptionModel(body.model);
      const model = isDiarized ? 'transcribe-1-pro' : named;
      const bodyContent: BodyContent = {
        isDiarized,
        hasLogprobs: body.include?.includes('logprobs') ?? false,
      };
      const options = {
        model,
        language: parseLanguageHint(body.language ?? undefined),
        prompt: body.prompt?.trim() || undefined,
        vocabulary: [],
        speakers: isDiarized ? { min: 1, max: SPEAKERS_MAX } : undefined,
      };
      const granularities = granularitiesOf(body);
      const write = (transcript: Transcript): TranscriptResponse => {
        if (format === 'json') return { contentType: JSON_TYPE, body: toJsonBody(transcript, bodyContent) };
        if (format === 'diarized_json') return { contentType: JSON_TYPE, body: toDiarizedBody(transcript) };
        if (format === 'verbose_json') {
          return { contentType: JSON_TYPE, body: toVerbose(transcript, granularities) };
        }
        return writeTranscript(transcript, { format, ignoreTimestamps: false }, request.id);
      };
      // As at OpenAI, a stream has events of one format only.
      const isStreamed = body.stream === 'true';
      const content = [format, granularities, bodyContent, isStreamed];
      const output: TranscriptOutput = isStreamed
        ? { kind: 'events', write: (events) => toTranscriptEvents(events, bodyContent) }
        : { kind: 'document', write };
      await meterTranscription(deps, { request, reply }, { options, audio: body.audio, content, output });
    },
  );
};

/** The requested timestamp granularities. OpenAI's clients repeat a field whose name ends in brackets. */
function granularitiesOf(form: Readonly<Record<string, unknown>>): readonly unknown[] {
  const given = [form.timestamp_granularities].flat();
  return given.filter((value) => value !== undefined);
}
