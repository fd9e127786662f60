import type { FastifyInstance, FastifyReply } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { ApiError } from '../../../errors.ts';
import { readBody, uploadPace } from '../../bodies/read-body.ts';
import type { TranscriptionDeps } from '../../dependencies.ts';
import type { Exchange } from '../../metering/idempotent-request.ts';
import { meterTranscription } from '../../metering/metered-transcription.ts';
import { requireScope } from '../../plugins/auth.ts';
import { createUploadTooLargeError } from '../../uploads/form-builder.ts';
import type { UploadShare } from '../../uploads/upload-quota.ts';
import { UploadedRecording } from '../../uploads/uploaded-recording.ts';
import { meterCompatSpeech, type SpeechDeps } from '../metered-compat-speech.ts';
import { resolveOpenAiSpeechModel, resolveOpenAiTranscriptionModel } from '../model-names.ts';
import { nativeOptionsOf, ProviderSchema, rejectNativeOptions } from '../native-options.ts';
import { ChatBodyReader, LIST_MAX } from './chat-body.ts';
import { toAudioChunks, toAudioCompletion, toTextChunks, toTextCompletion } from './chat-responses.ts';
import { SpeechFormatSchema, type SpeechRouteDefaults, toNativeRequest } from './speech.ts';

const OnDisk = z.custom<UploadedRecording>((value) => value instanceof UploadedRecording);
const ContentPart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({
    type: z.literal('input_audio'),
    // Base64 in MessagePack; recordings in JSON are on disk already.
    input_audio: z.object({ data: z.union([z.string(), OnDisk]) }),
  }),
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
    addChatBodies(app, deps);
    app.post(
      '/chat/completions',
      {
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

/** Streams the recordings of JSON bodies to disk. A key without a scope for speech or transcription is refused first. */
function addChatBodies(app: FastifyInstance, { config, uploads }: ChatDeps): void {
  const { asrUploadMaxBytes: recordingsMaxBytes, bodyMaxBytes: valuesMaxBytes } = config;
  // Base64 is a third larger than the audio.
  const maxBytes = Math.ceil((recordingsMaxBytes * 4) / 3) + valuesMaxBytes;
  const tooLarge = () => createUploadTooLargeError(recordingsMaxBytes);
  app.addHook('onRequest', async ({ caller }) => {
    if (caller !== undefined && !caller.scopes.includes('asr')) requireScope(caller, 'tts');
  });
  app.removeContentTypeParser('application/json');
  // The hook below reads the body as a stream.
  app.addContentTypeParser('application/json', async () => undefined);
  app.addHook('preValidation', async (request, reply) => {
    const { caller, raw } = request;
    if (request.mediaType !== 'application/json' || caller === undefined) return;
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
    let share: UploadShare | undefined;
    const reader = new ChatBodyReader(readBody(raw, { ...uploadPace(config), maxBytes }, tooLarge), {
      uploads,
      recordingsMaxBytes,
      valuesMaxBytes,
      allowRecording: async () => {
        requireScope(caller, 'asr');
        share ??= await app.uploadQuota.open(caller.accountId);
      },
      onRecordingBytes: (bytes) => share?.add(bytes),
      holdBytes: app.bodyMemory.holdFor(request),
    });
    const reading = reader.read();
    reply.raw.once('close', () => {
      reading
        .catch(() => {})
        .then(() => reader.dispose())
        .finally(() => share?.close())
        .catch((err) => request.log.warn({ err }, 'an uploaded file could not be removed'));
    });
    request.body = await reading;
  });
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
    ...toNativeRequest(
      { input: text, voice: body.audio?.voice, response_format: body.audio?.format },
      nativeOptionsOf(request, body.provider),
      defaults,
    ),
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
  { body, data }: { readonly body: Body; readonly data: string | UploadedRecording },
): Promise<void> {
  requireScope(request.caller, 'asr');
  rejectNativeOptions(request);
  const model = resolveOpenAiTranscriptionModel(body.model);
  const audio = typeof data === 'string' ? await receiveBase64(deps, reply, data) : data;
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

async function receiveBase64(
  { uploads }: ChatDeps,
  { raw }: FastifyReply,
  data: string,
): Promise<UploadedRecording> {
  const upload = await uploads.create();
  raw.once('close', () => void upload.remove());
  return UploadedRecording.receive(upload, [Buffer.from(data, 'base64')]);
}

function lastMessage({ messages }: Body): { text: string; recordings: (string | UploadedRecording)[] } {
  const content = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  return {
    text: parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n'),
    recordings: parts.flatMap((part) => (part.type === 'input_audio' ? part.input_audio.data : [])),
  };
}
