import { writeFile } from 'node:fs/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { ApiError } from '../../../errors.ts';
import type { TranscriptionDeps } from '../../dependencies.ts';
import { meterTranscription } from '../../metering/metered-transcription.ts';
import { requireScope } from '../../plugins/auth.ts';
import { type SpeechDeps, sellCompatSpeech } from '../compat-speech.ts';
import { resolveHearingModel, resolveSpeechModel } from '../model-names.ts';
import { nativeOptionsOf, ProviderSchema, refuseNativeOptions } from '../native-options.ts';
import { audioAnswer, audioChunks, textAnswer, textChunks } from './chat-responses.ts';
import { type SpeechDialect, SpeechFormatSchema, toTtsBody } from './speech.ts';

const ContentPart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('input_audio'), input_audio: z.object({ data: z.string() }) }),
]);

const ChatBody = z.object({
  model: z.string(),
  messages: z
    .array(z.object({ role: z.string(), content: z.union([z.string(), z.array(ContentPart)]).nullish() }))
    .min(1),
  modalities: z.array(z.enum(['text', 'audio'])).nullish(),
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

/** `POST …/chat/completions`: the last message is spoken, or its recording is written down. Nobody answers it. */
export function openAiChatRoutes(dialect: SpeechDialect): FastifyPluginAsyncZod<ChatDeps> {
  return async (app, deps) => {
    app.post(
      '/chat/completions',
      {
        // Base64 takes a third more room than what it stands for.
        bodyLimit: Math.ceil((deps.config.asrUploadMaxBytes * 4) / 3) + deps.config.bodyMaxBytes,
        config: { sells: { service: 'tts', modelOf: () => deps.config.defaultModel } },
        schema: { hide: true, body: ChatBody },
      },
      async (request, reply) => {
        const { body } = request;
        const { text, recordings } = lastMessage(body);
        const isSpoken = body.modalities?.includes('audio') ?? body.audio != null;
        if (isSpoken && recordings.length > 0) {
          throw new ApiError('not_supported', 'One call cannot both hear and speak.');
        }
        if (isSpoken) await speak(deps, { request, reply }, { body, text, dialect });
        else if (recordings.length === 1)
          await hear(deps, { request, reply }, { body, data: recordings[0]! });
        else throw new ApiError('not_supported', NOTHING_TO_DO);
      },
    );
  };
}

const NOTHING_TO_DO =
  'There is no language model here: ask for the modality `audio` to hear the last message, or send one recording in it.';

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

async function speak(
  deps: ChatDeps,
  exchange: Exchange,
  { body, text, dialect }: { readonly body: Body; readonly text: string; readonly dialect: SpeechDialect },
): Promise<void> {
  const { request } = exchange;
  requireScope(request.caller!, 'tts');
  const wish = {
    model: resolveSpeechModel(body.model, deps.config),
    body: toTtsBody({ input: text, voice: body.audio?.voice, response_format: body.audio?.format }, dialect),
    native: nativeOptionsOf(request, body.provider),
  };
  const facts = { id: request.id, model: body.model, text };
  await sellCompatSpeech(deps, exchange, wish, body.stream ? audioChunks(facts) : audioAnswer(facts));
}

async function hear(
  deps: ChatDeps,
  { request, reply }: Exchange,
  { body, data }: { readonly body: Body; readonly data: string },
): Promise<void> {
  requireScope(request.caller!, 'asr');
  refuseNativeOptions(request);
  const model = resolveHearingModel(body.model);
  const audio = await deps.uploads.create();
  reply.raw.once('close', () => void audio.remove());
  await writeFile(audio.path, Buffer.from(data, 'base64'));
  reply.header('x-generation-id', request.id);
  const options = { model, language: undefined, prompt: undefined, vocabulary: [], speakers: undefined };
  const facts = { id: request.id, model: body.model };
  await meterTranscription(
    deps,
    { request, reply },
    {
      options,
      audio,
      content: [body.stream],
      answer: {
        whole: ({ text }) => (body.stream ? textChunks({ ...facts, text }) : textAnswer({ ...facts, text })),
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
