import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { MixedVoice, NewVoice, VoiceOwner } from '../../domain/voices/library/new-voice.ts';
import { createNotYoursError } from '../../domain/voices/library/voice-access.ts';
import type { VoiceEdit } from '../../domain/voices/library/voice-library.ts';
import type { ClonedVoice } from '../../domain/voices/voice-cloner.ts';
import { ApiError } from '../../errors.ts';
import { uploadPace } from '../bodies/read-body.ts';
import type { ApiDeps, AuthenticatedRequest } from '../dependencies.ts';
import { createIdempotently, IDEMPOTENCY_ERRORS, workSignal } from '../metering/idempotent-request.ts';
import { meterTranscripts } from '../metering/metered-transcripts.ts';
import { errorResponses } from '../schemas/error-body.ts';
import { ModelEntitySchema, toStoredModelEntity } from '../schemas/voices/model-entity.ts';
import { CreateModelSchema, textsFor, UpdateModelSchema } from '../schemas/voices/model-form.ts';
import type { FormRecording } from '../uploads/form-builder.ts';
import { addUploadForms } from '../uploads/upload-forms.ts';

type ModelWriteDeps = Pick<
  ApiDeps,
  'voices' | 'library' | 'designer' | 'transcription' | 'config' | 'accounting'
>;

const FORM_TYPES = [
  'multipart/form-data',
  'application/x-www-form-urlencoded',
  'application/json',
  'application/msgpack',
];
const COMMON_ERRORS = [
  'invalid_body',
  'invalid_api_key',
  'insufficient_scope',
  'invalid_parameter',
  'request_too_large',
  'unsupported_media_type',
  'too_many_uploads',
] as const;
const IdParams = z.object({ id: z.string() });

/** Creating, changing and deleting voices. */
export const modelWriteRoutes: FastifyPluginAsyncZod<ModelWriteDeps> = async (app, deps) => {
  const { voices, library, transcription, config, accounting } = deps;
  addUploadForms(app, {
    encodings: ['multipart', 'urlencoded', 'json', 'msgpack'],
    recordings: ['voices'],
    files: ['cover_image'],
    acceptsBase64: true,
    maxBytes: config.voiceUploadMaxBytes,
    pace: uploadPace(config),
    uploads: transcription.uploads,
    onRecording: (signal) => library.prepareCreation(signal),
  });
  const routeConfig = { scope: 'voices:write' } as const;

  app.post(
    '/model',
    {
      config: routeConfig,
      schema: {
        operationId: 'createModel',
        summary: 'Create a voice from recordings, or by mixing voices',
        description:
          'Creating a voice is free of charge. The transcripts of recordings without `texts` are charged like transcription; an account without credit gets the voice without them.',
        tags: ['voices'],
        consumes: FORM_TYPES,
        body: CreateModelSchema,
        response: {
          201: ModelEntitySchema,
          ...errorResponses(
            ...COMMON_ERRORS,
            'invalid_audio',
            'audio_too_long',
            'unusable_recording',
            'model_not_found',
            'voice_limit',
            'cloning_unavailable',
            'engine_failed',
            'engine_unavailable',
            ...IDEMPOTENCY_ERRORS,
          ),
        },
      },
    },
    async (request, reply) => {
      const owner = ownerOf(request);
      await createIdempotently(
        accounting.idempotency,
        { request, reply },
        { status: 201 },
        async (attempt) => {
          const voice = await library.create(owner, await toNewVoice(request.body, owner.accountId, deps), {
            signal: workSignal(reply, attempt),
            meterTranscript: meterTranscripts(accounting.billing, request.caller),
          });
          return toStoredModelEntity(voice, baseUrlOf(request));
        },
      );
    },
  );

  app.patch(
    '/model/:id',
    {
      config: routeConfig,
      schema: {
        operationId: 'updateModel',
        summary: 'Change a voice',
        tags: ['voices'],
        consumes: FORM_TYPES,
        params: IdParams,
        body: UpdateModelSchema,
        response: {
          200: ModelEntitySchema.extend({ status: z.literal('ok') }),
          ...errorResponses(...COMMON_ERRORS, 'not_yours', 'model_not_found'),
        },
      },
    },
    async (request) => {
      const { body, params } = request;
      if (voices.resolve(params.id) !== undefined) throw createNotYoursError();
      const { cover_image: cover, ...fields } = body;
      const edit: VoiceEdit = { ...definedOnly(fields), ...(cover !== undefined && { cover: cover.bytes }) };
      const voice = await library.change(ownerOf(request), params.id, edit);
      return { status: 'ok' as const, ...toStoredModelEntity(voice, baseUrlOf(request)) };
    },
  );

  app.delete(
    '/model/:id',
    {
      config: routeConfig,
      schema: {
        operationId: 'deleteModel',
        summary: 'Delete a voice with its recordings',
        tags: ['voices'],
        params: IdParams,
        response: {
          204: z.null().describe('Deleted.'),
          ...errorResponses('invalid_api_key', 'insufficient_scope', 'not_yours', 'model_not_found'),
        },
      },
    },
    async (request, reply) => {
      if (voices.resolve(request.params.id) !== undefined) throw createNotYoursError();
      await library.remove(ownerOf(request), request.params.id);
      return reply.code(204).send(null);
    },
  );
};

async function toNewVoice(
  body: z.output<typeof CreateModelSchema>,
  accountId: string,
  deps: ModelWriteDeps,
): Promise<NewVoice> {
  const files = body.voices ?? [];
  const texts = textsFor(files.length, body.texts);
  return {
    title: body.title,
    description: body.description ?? '',
    visibility: body.visibility ?? 'private',
    tags: body.tags ?? [],
    recordings: files.map((file, index) => ({ ...file, text: texts[index] })),
    designed: restoreDesigned(files, body.voice_design_signatures, deps),
    mix: body.mix && (await findMixed(body.mix, accountId, deps)),
    cover: body.cover_image?.bytes,
    isRefined: body.train_mode === 'full',
    isSampled: body.generate_sample ?? false,
    consentStatement: body.consent ?? '',
  };
}

function findMixed(
  mix: readonly { readonly id: string; readonly weight: number }[],
  accountId: string,
  { voices, library }: Pick<ModelWriteDeps, 'voices' | 'library'>,
): Promise<MixedVoice[]> {
  return Promise.all(
    mix.map(async ({ id, weight }) => {
      const voice = voices.resolve(id) ?? (await library.findSpeakable(id, accountId))?.voice;
      if (voice === undefined)
        throw new ApiError('model_not_found', `The voice “${id}” of the mix does not exist.`);
      return { voice, weight };
    }),
  );
}

/** The designed voices of the files. Undefined without signatures: the files are recordings. */
function restoreDesigned(
  files: readonly FormRecording[],
  signatures: readonly string[] | undefined,
  { designer }: Pick<ModelWriteDeps, 'designer'>,
): readonly ClonedVoice[] | undefined {
  if (signatures === undefined || signatures.length === 0) return undefined;
  return designer.restore(
    files.map(({ audio }, index) => ({ sha256: audio.sha256, signature: signatures[index] ?? '' })),
  );
}

export function ownerOf(request: AuthenticatedRequest): VoiceOwner {
  const { accountId, keyId } = request.caller;
  return { accountId, keyId, source: request.ip };
}

/** The base URL of the request, for URLs in responses. */
export function baseUrlOf(request: FastifyRequest): string {
  return `${request.protocol}://${request.host}`;
}

/** A copy without undefined fields. */
function definedOnly<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]: NonNullable<Fields[Name]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
