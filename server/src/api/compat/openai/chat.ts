import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { ApiError } from '../../../errors.ts';
import type { TranscriptionDeps } from '../../dependencies.ts';
import type { Exchange } from '../../metering/idempotent-request.ts';
import { meterTranscription } from '../../metering/metered-transcription.ts';
import { requireScope } from '../../plugins/auth.ts';
import { UploadedRecording } from '../../uploads/uploaded-recording.ts';
import { meterCompatSpeech, type SpeechDeps } from '../metered-compat-speech.ts';
import { resolveOpenAiSpeechModel, resolveOpenAiTranscriptionModel } from '../model-names.ts';
import { nativeOptionsOf, ProviderSchema, rejectNativeOptions } from '../native-options.ts';
import { toAudioChunks, toAudioCompletion, toTextChunks, toTextCompletion } from './chat-responses.ts';
import { SpeechFormatSchema, type SpeechRouteDefaults, toTtsBody } from './speech.ts';

/** Maximum number of messages, and of parts in one message. */
const LIST_MAX = 1024;

const ContentPart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('input_audio'), input_audio: z.object({ data: z.string() }) }),
]);

const ChatBody = z.object({
  model: z.string(),
  messages: z
    .array(
      z.object({
        role: z.string().max(64),
        content: z.union([z.string(), z.array(ContentPart).max(LIST_MAX)]).nullish(),
      }),
    )
    .min(1)
    .max(LIST_MAX),
  modalities: z
    .array(z.enum(['text', 'audio']))
    .max(2)
    .nullish(),
  audio: z
    .object({
      voice: z.union([z.string(), z.object({ id: z.string() })]).nullish(),
      format: SpeechFormatSchema,
    })
    .nullish(),
  stream: z.boolean().nullish(),
  n: z.literal(1, '`n` can only be 1').nullish(),
  provider: ProviderSchema,
});

type Body = z.output<typeof ChatBody>;
type ChatDeps = SpeechDeps & TranscriptionDeps;

/** `POST …/chat/completions`: synthesizes the last message, or transcribes its recording. Generates no reply. */
export function openAiChatRoutes(defaults: SpeechRouteDefaults): FastifyPluginAsyncZod<ChatDeps> {
  return async (app, deps) => {
    app.post(
      '/chat/completions',
      {
        // Base64 is a third larger than the audio.
        bodyLimit: Math.ceil((deps.config.asrUploadMaxBytes * 4) / 3) + deps.config.bodyMaxBytes,
        config: { metering: { service: 'tts', modelOf: () => deps.config.defaultModel } },
        schema: { hide: true, body: ChatBody },
      },
      async (request, reply) => {
        const { body } = request;
        const { text, recordings } = lastMessage(body);
        const [recording, ...others] = recordings;
        const isSpeech = body.modalities?.includes('audio') ?? body.audio != null;
        if (isSpeech && recording !== undefined) {
          throw new ApiError('not_supported', 'One request cannot both transcribe and synthesize.');
        }
        if (isSpeech) await synthesize(deps, { request, reply }, { body, text, defaults });
        else if (recording !== undefined && others.length === 0)
          await transcribe(deps, { request, reply }, { body, data: recording });
        else throw new ApiError('not_supported', UNSUPPORTED_CHAT);
      },
    );
  };
}

const UNSUPPORTED_CHAT =
  'There is no language model. Request the modality `audio` to synthesize the last message, or send one recording in it.';

async function synthesize(
  deps: ChatDeps,
  exchange: Exchange,
  {
    body,
    text,
    defaults,
  }: { readonly body: Body; readonly text: string; readonly defaults: SpeechRouteDefaults },
): Promise<void> {
  const { request } = exchange;
  requireScope(request.caller, 'tts');
  const options = {
    model: resolveOpenAiSpeechModel(body.model, deps.config),
    body: toTtsBody({ input: text, voice: body.audio?.voice, response_format: body.audio?.format }, defaults),
    native: nativeOptionsOf(request, body.provider),
  };
  const context = { id: request.id, model: body.model, text };
  await meterCompatSpeech(
    deps,
    exchange,
    options,
    body.stream ? toAudioChunks(context) : toAudioCompletion(context),
  );
}

async function transcribe(
  deps: ChatDeps,
  { request, reply }: Exchange,
  { body, data }: { readonly body: Body; readonly data: string },
): Promise<void> {
  requireScope(request.caller, 'asr');
  rejectNativeOptions(request);
  const model = resolveOpenAiTranscriptionModel(body.model);
  const upload = await deps.uploads.create();
  reply.raw.once('close', () => void upload.remove());
  const audio = await UploadedRecording.receive(upload, [Buffer.from(data, 'base64')]);
  reply.header('x-generation-id', request.id);
  const options = { model, language: undefined, prompt: undefined, vocabulary: [], speakers: undefined };
  const context = { id: request.id, model: body.model };
  await meterTranscription(
    deps,
    { request, reply },
    {
      options,
      audio,
      content: [body.stream],
      output: {
        kind: 'document',
        write: ({ text }) =>
          body.stream ? toTextChunks({ ...context, text }) : toTextCompletion({ ...context, text }),
      },
    },
  );
}

function lastMessage({ messages }: Body): { text: string; recordings: string[] } {
  const content = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  return {
    text: parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n'),
    recordings: parts.flatMap((part) => (part.type === 'input_audio' ? part.input_audio.data : [])),
  };
}
