import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Transcript } from '../../../domain/transcription/transcription-service.ts';
import type { ApiDeps, TranscriptionDeps } from '../../dependencies.ts';
import { meterTranscription } from '../../metering/metered-transcription.ts';
import { type TranscriptResponse, writeTranscript } from '../../responses/transcript-response.ts';
import { addRecordingForms } from '../../uploads/recording-form.ts';
import type { UploadedRecording } from '../../uploads/uploaded-recording.ts';
import { resolveOpenAiTranscriptionModel } from '../model-names.ts';
import { rejectNativeOptions } from '../native-options.ts';
import { toVerbose } from './verbose-transcript.ts';

const TranslationForm = z.looseObject({
  audio: z.custom<UploadedRecording>((value) => value !== undefined, 'missing field `file`'),
  model: z.string().default('whisper-1'),
  prompt: z.string().max(4000).nullish(),
  response_format: z.enum(['json', 'text', 'srt', 'verbose_json', 'vtt']).nullish(),
});

const JSON_TYPE = 'application/json; charset=utf-8';

/** OpenAI's `POST …/audio/translations`: speech in any language to English text. */
export const openAiTranslationRoutes: FastifyPluginAsyncZod<
  TranscriptionDeps & Pick<ApiDeps, 'config' | 'accounting'>
> = async (app, deps) => {
  addRecordingForms(app, { ...deps, field: 'file' });
  app.post(
    '/audio/translations',
    {
      config: { scope: 'asr', metering: { service: 'asr', modelOf: () => 'transcribe-1' } },
      schema: { hide: true, body: TranslationForm },
    },
    async (request, reply) => {
      const { body } = request;
      rejectNativeOptions(request);
      reply.header('x-generation-id', request.id);
      const options = {
        model: resolveOpenAiTranscriptionModel(body.model),
        language: undefined,
        isTranslated: true,
        prompt: body.prompt?.trim() || undefined,
        vocabulary: [],
        speakers: undefined,
      };
      const format = body.response_format ?? 'json';
      const write = (transcript: Transcript): TranscriptResponse => {
        if (format === 'json') return { contentType: JSON_TYPE, body: { text: transcript.text } };
        if (format === 'verbose_json') {
          return { contentType: JSON_TYPE, body: { ...toVerbose(transcript, []), task: 'translate' } };
        }
        return writeTranscript(transcript, { format, ignoreTimestamps: false }, request.id);
      };
      const output = { kind: 'document', write } as const;
      await meterTranscription(
        deps,
        { request, reply },
        { options, audio: body.audio, content: [format], output },
      );
    },
  );
};
