import { deflateSync } from 'node:zlib';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { languageName, parseLanguageHint } from '../../../domain/transcription/language-hint.ts';
import type { Transcript, TranscriptSegment } from '../../../domain/transcription/transcription-service.ts';
import type { ApiDeps, TranscriptionDeps } from '../../dependencies.ts';
import { meterTranscription } from '../../metering/metered-transcription.ts';
import { type TranscriptResponse, writeTranscript } from '../../responses/transcript-response.ts';
import { addRecordingForms } from '../../uploads/recording-form.ts';
import type { UploadedRecording } from '../../uploads/uploaded-recording.ts';
import { resolveOpenAiTranscriptionModel } from '../model-names.ts';
import { rejectNativeOptions } from '../native-options.ts';

const TranscriptionForm = z.looseObject({
  audio: z.custom<UploadedRecording>((value) => value !== undefined, 'missing field `file`'),
  model: z.string().default('whisper-1'),
  language: z.string().nullish(),
  prompt: z.string().max(4000).nullish(),
  response_format: z.enum(['json', 'text', 'srt', 'verbose_json', 'vtt']).nullish(),
  ...Object.fromEntries(
    ['include', 'known_speaker_names', 'known_speaker_references'].map((field) => [
      field,
      z.undefined(`\`${field}\` is not supported`).optional(),
    ]),
  ),
  stream: z.literal(['false', ''], '`stream` is not supported; use `POST /v1/asr` with events').nullish(),
});

/** Whisper decodes windows of 30 s; its segments name the first frame of 10 ms of their window. */
const WINDOW_SECONDS = 30;
const FRAMES_PER_SECOND = 100;
const CONFIDENCE_MIN = 1e-6;
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
      const model = resolveOpenAiTranscriptionModel(body.model);
      const options = {
        model,
        language: parseLanguageHint(body.language ?? undefined),
        prompt: body.prompt?.trim() || undefined,
        vocabulary: [],
        speakers: undefined,
      };
      const format = body.response_format ?? 'json';
      const granularities = granularitiesOf(body);
      const write = (transcript: Transcript): TranscriptResponse => {
        if (format === 'json') return { contentType: JSON_TYPE, body: { text: transcript.text } };
        if (format === 'verbose_json') {
          return { contentType: JSON_TYPE, body: toVerbose(transcript, granularities) };
        }
        return writeTranscript(transcript, { format, ignoreTimestamps: false }, request.id);
      };
      const content = [format, granularities];
      const output = { kind: 'document', write } as const;
      await meterTranscription(deps, { request, reply }, { options, audio: body.audio, content, output });
    },
  );
};

/** The requested timestamp granularities. OpenAI's clients repeat a field whose name ends in brackets. */
function granularitiesOf(form: Readonly<Record<string, unknown>>): readonly unknown[] {
  const given = [form.timestamp_granularities].flat();
  return given.filter((value) => value !== undefined);
}

function windowOf({ startSeconds }: TranscriptSegment): number {
  return Math.floor(startSeconds / WINDOW_SECONDS);
}

/** The compression ratio of the text of every window, as Whisper computes it: high for repeated text. */
function compressionRatios(segments: readonly TranscriptSegment[]): ReadonlyMap<number, number> {
  const texts = new Map<number, string>();
  for (const segment of segments) {
    const window = windowOf(segment);
    texts.set(window, `${texts.get(window) ?? ''}${segment.text}`);
  }
  return new Map([...texts].map(([window, text]) => [window, compressionRatio(text)]));
}

function compressionRatio(text: string): number {
  const bytes = Buffer.from(text);
  return bytes.length === 0 ? 0 : bytes.length / deflateSync(bytes).length;
}

function toVerbose(
  { text, durationSeconds, language, segments }: Transcript,
  granularities: readonly unknown[],
) {
  const ratios = compressionRatios(segments);
  return {
    task: 'transcribe',
    language: language === undefined ? null : languageName(language).toLowerCase(),
    duration: durationSeconds,
    text,
    ...(granularities.includes('word') && {
      words: segments
        .flatMap(({ words }) => words)
        .map((word) => ({ word: word.text, start: word.startSeconds, end: word.endSeconds })),
    }),
    segments: segments.map((segment, id) => ({
      id,
      seek: windowOf(segment) * WINDOW_SECONDS * FRAMES_PER_SECOND,
      start: segment.startSeconds,
      end: segment.endSeconds,
      text: segment.text,
      // The tokens of our engines are not those of Whisper.
      tokens: [],
      temperature: 0,
      avg_logprob: Math.log(Math.max(segment.confidence, CONFIDENCE_MIN)),
      compression_ratio: ratios.get(windowOf(segment)) ?? 0,
      // Segments without speech are removed before transcription.
      no_speech_prob: 0,
    })),
  };
}
