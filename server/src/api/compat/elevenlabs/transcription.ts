import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { parseLanguageHint } from '../../../domain/transcription/language-hint.ts';
import { joinTexts } from '../../../domain/transcription/transcript-text.ts';
import type { Transcript } from '../../../domain/transcription/transcription-service.ts';
import type { Upload } from '../../../domain/transcription/upload-space.ts';
import { ApiError } from '../../../errors.ts';
import type { ApiDeps, TranscriptionDeps } from '../../dependencies.ts';
import { meterTranscription } from '../../metering/metered-transcription.ts';
import { addRecordingForms, receiveRecording } from '../../uploads/recording-form.ts';
import { resolveScribeModel } from '../model-names.ts';
import { refuseNativeOptions } from '../native-options.ts';
import { toLanguageTag } from './settings.ts';
import { toElevenLabsWords } from './words.ts';

const SPEAKERS_MAX = 32;

/** What would change the answer and cannot be done here. A flag that is false, or nothing, asks for nothing. */
const REFUSED = [
  'use_multi_channel',
  'entity_detection',
  'entity_redaction',
  'entity_redaction_mode',
  'no_verbatim',
  'tag_audio_events',
  'additional_formats',
  'webhook',
  'webhook_id',
  'source_url',
  'cloud_storage_url',
  'transcript_edit',
  'detect_speaker_roles',
  'use_speaker_library',
] as const;
const NOTHING = new Set(['', 'false', '0', 'none', 'off', 'null', '[]']);

const TranscriptionForm = z.looseObject({
  audio: z.custom<Upload>((value) => value !== undefined, 'missing field `file`'),
  model_id: z.string().default('scribe_v1'),
  language_code: z.string().nullish(),
  diarize: z.string().nullish(),
  num_speakers: z.coerce.number().int().min(1).max(SPEAKERS_MAX).optional(),
  keyterms: z
    .union([z.string(), z.array(z.string())])
    .transform((terms) => [terms].flat())
    .nullish(),
  timestamps_granularity: z
    .enum(['none', 'word'], '`timestamps_granularity` can be `word` or `none`')
    .nullish(),
});

/** `POST /v1/speech-to-text` as ElevenLabs' clients call it. */
export const elevenLabsTranscriptionRoutes: FastifyPluginAsyncZod<
  TranscriptionDeps & Pick<ApiDeps, 'config' | 'accounting'>
> = async (app, deps) => {
  await addRecordingForms(app);
  app.post(
    '/v1/speech-to-text',
    {
      preValidation: (request, reply) => receiveRecording(request, reply, { ...deps, fileField: 'file' }),
      config: {
        keyHeader: 'xi-api-key',
        scope: 'asr',
        sells: { service: 'asr', modelOf: () => 'transcribe-1' },
      },
      schema: { hide: true, body: TranscriptionForm },
    },
    async (request, reply) => {
      const { body } = request;
      refuseNativeOptions(request);
      refuseUnsupported(body);
      reply.header('x-generation-id', request.id).header('request-id', request.id);
      const isDiarized = isAsked(body.diarize);
      const options = {
        model: isDiarized ? ('transcribe-1-pro' as const) : resolveScribeModel(body.model_id),
        language: parseLanguageHint(toLanguageTag(body.language_code)),
        prompt: undefined,
        vocabulary: body.keyterms ?? [],
        speakers: isDiarized
          ? { min: body.num_speakers ?? 1, max: body.num_speakers ?? SPEAKERS_MAX }
          : undefined,
      };
      const hasWords = body.timestamps_granularity !== 'none';
      await meterTranscription(
        deps,
        { request, reply },
        {
          options,
          audio: body.audio,
          content: [hasWords],
          answer: {
            whole: (transcript) => ({
              contentType: 'application/json; charset=utf-8',
              body: toAnswer(transcript, { hasWords, requestId: request.id }),
            }),
          },
        },
      );
    },
  );
};

function toAnswer(
  { segments, language, durationSeconds }: Transcript,
  { hasWords, requestId }: { readonly hasWords: boolean; readonly requestId: string },
) {
  // Speakers are told with the words; the text itself has no marks.
  const text = joinTexts(segments);
  return {
    language_code: language ?? '',
    language_probability: 1,
    text,
    words: hasWords ? toElevenLabsWords(text, segments) : [],
    transcription_id: requestId,
    audio_duration_secs: durationSeconds,
  };
}

function refuseUnsupported(form: Readonly<Record<string, unknown>>): void {
  const asked = REFUSED.find((field) => isAsked(form[field]));
  if (asked === undefined) return;
  throw new ApiError('not_supported', `\`${asked}\` is not supported; leave it out.`);
}

function isAsked(value: unknown): boolean {
  return value !== undefined && value !== null && !NOTHING.has(String(value).trim().toLowerCase());
}
