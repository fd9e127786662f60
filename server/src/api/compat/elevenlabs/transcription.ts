import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { parseLanguageHint } from '../../../domain/transcription/language-hint.ts';
import { joinTexts } from '../../../domain/transcription/transcript-text.ts';
import type { Transcript } from '../../../domain/transcription/transcription-service.ts';
import { ApiError } from '../../../errors.ts';
import type { ApiDeps, TranscriptionDeps } from '../../dependencies.ts';
import { meterTranscription } from '../../metering/metered-transcription.ts';
import { single } from '../../schemas/form-fields.ts';
import { addRecordingForms } from '../../uploads/recording-form.ts';
import type { UploadedRecording } from '../../uploads/uploaded-recording.ts';
import { resolveElevenLabsTranscriptionModel } from '../model-names.ts';
import { rejectNativeOptions } from '../native-options.ts';
import { FileFormatSchema, withDetectableFormat } from './recordings/raw-pcm.ts';
import { toLanguageTag } from './settings.ts';
import { toElevenLabsWords } from './words.ts';

const SPEAKERS_MAX = 32;

/** Fields that would change the response and are not supported. Values in `DISABLED` are accepted. */
const UNSUPPORTED = [
  'use_multi_channel',
  'entity_detection',
  'entity_redaction',
  'entity_redaction_mode',
  'no_verbatim',
  'additional_formats',
  'webhook',
  'webhook_id',
  'source_url',
  'cloud_storage_url',
  'transcript_edit',
  'detect_speaker_roles',
  'use_speaker_library',
] as const;
const DISABLED = new Set(['', 'false', '0', 'none', 'off', 'null', '[]']);

const TranscriptionForm = z.looseObject({
  audio: z.custom<UploadedRecording>((value) => value !== undefined, 'missing field `file`'),
  model_id: single(z.string().default('scribe_v1')),
  language_code: single(z.string().nullish()),
  diarize: single(z.string().nullish()),
  num_speakers: single(z.coerce.number().int().min(1).max(SPEAKERS_MAX).optional()),
  tag_audio_events: single(z.string().nullish()),
  keyterms: z
    .union([z.string().max(1000), z.array(z.string().max(1000)).max(1000)])
    .transform((terms) => [terms].flat())
    .nullish(),
  file_format: FileFormatSchema,
  timestamps_granularity: single(
    z.enum(['none', 'word'], '`timestamps_granularity` can be `word` or `none`').nullish(),
  ),
});

/** ElevenLabs' `POST /v1/speech-to-text`. */
export const elevenLabsTranscriptionRoutes: FastifyPluginAsyncZod<
  TranscriptionDeps & Pick<ApiDeps, 'config' | 'accounting'>
> = async (app, deps) => {
  addRecordingForms(app, { ...deps, field: 'file' });
  app.post(
    '/v1/speech-to-text',
    {
      config: {
        keyHeader: 'xi-api-key',
        scope: 'asr',
        metering: { service: 'asr', modelOf: () => 'transcribe-1' },
      },
      schema: { hide: true, body: TranscriptionForm },
    },
    async (request, reply) => {
      const { body } = request;
      rejectNativeOptions(request);
      rejectUnsupported(body);
      reply.header('x-generation-id', request.id).header('request-id', request.id);
      // On by default in ElevenLabs' clients.
      if (isEnabled(body.tag_audio_events)) reply.header('x-mynah-ignored', 'tag_audio_events');
      const isDiarized = isEnabled(body.diarize);
      const options = {
        model: isDiarized
          ? ('transcribe-1-pro' as const)
          : resolveElevenLabsTranscriptionModel(body.model_id),
        language: parseLanguageHint(toLanguageTag(body.language_code)),
        prompt: undefined,
        vocabulary: body.keyterms ?? [],
        speakers: isDiarized
          ? { min: body.num_speakers ?? 1, max: body.num_speakers ?? SPEAKERS_MAX }
          : undefined,
      };
      const hasWords = body.timestamps_granularity !== 'none';
      await withDetectableFormat(
        body.audio,
        { fileFormat: body.file_format, uploads: deps.uploads },
        (audio) =>
          meterTranscription(
            deps,
            { request, reply },
            {
              options,
              audio,
              content: [hasWords],
              output: {
                kind: 'document',
                write: (transcript) => ({
                  contentType: 'application/json; charset=utf-8',
                  body: toResponseBody(transcript, { hasWords, requestId: request.id }),
                }),
              },
            },
          ),
      );
    },
  );
};

function toResponseBody(
  { segments, language, durationSeconds }: Transcript,
  { hasWords, requestId }: { readonly hasWords: boolean; readonly requestId: string },
) {
  // Words carry the speaker ids; the text contains no speaker labels.
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

function rejectUnsupported(form: Readonly<Record<string, unknown>>): void {
  const unsupported = UNSUPPORTED.find((field) => isEnabled(form[field]));
  if (unsupported === undefined) return;
  throw new ApiError('not_supported', `\`${unsupported}\` is not supported; omit it.`);
}

function isEnabled(value: unknown): boolean {
  return value !== undefined && value !== null && !DISABLED.has(String(value).trim().toLowerCase());
}
