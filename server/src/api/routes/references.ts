import type { FastifyInstance } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { Packr } from 'msgpackr';
import { z } from 'zod';
import { createNotYoursError } from '../../domain/voices/library/voice-access.ts';
import { createReferenceExistsError } from '../../domain/voices/library/voice-library.ts';
import type { ApiError, ErrorCode } from '../../errors.ts';
import { uploadPace } from '../bodies/read-body.ts';
import type { ApiDeps } from '../dependencies.ts';
import { meterTranscripts } from '../metering/metered-transcripts.ts';
import { disconnectSignal } from '../responses/byte-stream.ts';
import { ErrorBodySchema, errorResponsesAs } from '../schemas/error-body.ts';
import { recording, single, text } from '../schemas/form-fields.ts';
import { addUploadForms } from '../uploads/upload-forms.ts';
import { errorBody, errorSender } from '../wire/error-handler.ts';
import { ownerOf } from './model-writes.ts';

const NAME_MAX = 255;
const TEXT_MAX = 5000;
const FORM_TYPES = [
  'multipart/form-data',
  'application/json',
  'application/msgpack',
  'application/x-www-form-urlencoded',
];

const name = single(
  z
    .string()
    .min(1)
    .max(NAME_MAX)
    .regex(/^[a-zA-Z0-9\-_ ]+$/, 'a reference ID has only letters, digits, spaces, hyphens and underscores'),
);
const AddBody = z
  .object({
    id: name.describe('The name of the voice, for `reference_id`.'),
    audio: single(recording).describe('A recording of one person, 10 to 60 seconds.'),
    text: single(text(TEXT_MAX)).optional().describe('Its transcript. Default: it is transcribed.'),
  })
  .meta({ id: 'AddReference' });
const DeleteBody = z.object({ reference_id: name }).meta({ id: 'DeleteReference' });
const UpdateBody = z
  .object({ old_reference_id: name, new_reference_id: name })
  .meta({ id: 'RenameReference' });
const Query = z.object({ format: z.string().optional().describe('`json` for JSON.') });

const ReferenceList = z
  .object({ success: z.boolean(), reference_ids: z.array(z.string()), message: z.string() })
  .meta({ id: 'ReferenceList' });
const ReferenceResult = z
  .object({ success: z.boolean(), message: z.string(), reference_id: z.string() })
  .meta({ id: 'ReferenceResult' });

const ReferenceErrorSchema = ErrorBodySchema.extend({
  success: z.literal(false),
  reference_id: z.literal(''),
}).meta({ id: 'ReferenceRefusal' });

const contentOf = (schema: z.ZodType) => ({
  'application/json': { schema },
  'application/msgpack': { schema },
});
const referenceErrors = (...codes: ErrorCode[]) => errorResponsesAs(contentOf(ReferenceErrorSchema), codes);
const done = { description: 'Done.', content: contentOf(ReferenceResult) };
const WRITE = { scope: 'voices:write' } as const;
const COMMON_ERRORS = [
  'invalid_request',
  'invalid_body',
  'invalid_api_key',
  'insufficient_scope',
  'request_too_large',
  'unsupported_media_type',
  'too_many_uploads',
] as const;

type ReferenceDeps = Pick<ApiDeps, 'voices' | 'library' | 'transcription' | 'config' | 'accounting'>;

/**
 * Voices with names chosen by the client, as in the API of the open-source fish-speech server. They are private
 * voices of the account and also listed under `/model`.
 */
export const referenceRoutes: FastifyPluginAsyncZod<ReferenceDeps> = async (app, deps) => {
  const { library, transcription, config } = deps;
  addUploadForms(app, {
    encodings: ['multipart', 'json', 'msgpack', 'urlencoded'],
    recordings: ['audio'],
    files: [],
    acceptsBase64: true,
    maxBytes: config.voiceUploadMaxBytes,
    pace: uploadPace(config),
    uploads: transcription.uploads,
    onRecording: (signal) => library.prepareCreation(signal),
  });
  addReferenceResponses(app);
  await app.register(listRoute, deps);
  await app.register(addRoute, deps);
  await app.register(changeRoutes, deps);
};

/** Responses and errors are MessagePack unless the client requests JSON. */
function addReferenceResponses(app: FastifyInstance): void {
  app.setErrorHandler(errorSender((error) => ({ success: false, ...errorBody(error), reference_id: '' })));
  const packr = new Packr({ useRecords: false });
  app.addHook('onSend', async (request, reply, payload) => {
    const { format } = request.query as { readonly format?: string };
    const wantsJson = format === 'json' || request.headers.accept?.includes('application/json');
    if (wantsJson || typeof payload !== 'string') return payload;
    reply.type('application/msgpack');
    return packr.pack(JSON.parse(payload));
  });
}

const listRoute: FastifyPluginAsyncZod<ReferenceDeps> = async (app, { voices, library, config }) => {
  app.get(
    '/v1/references/list',
    {
      config: { isOpen: config.publicVoices, scope: 'voices:read' },
      schema: {
        operationId: 'listReferences',
        summary: 'List voice names',
        description: 'As in fish-speech: MessagePack unless JSON is requested.',
        tags: ['voices'],
        querystring: Query,
        response: {
          200: {
            description:
              'The names that can be used as `reference_id`: those of the account and of built-in voices.',
            content: contentOf(ReferenceList),
          },
          ...referenceErrors('invalid_api_key', 'insufficient_scope'),
        },
      },
    },
    async ({ caller }) => {
      const own = caller === undefined ? [] : await library.referenceNames(caller.accountId);
      const names = [...own, ...voices.list().map((voice) => voice.name)];
      return { success: true, reference_ids: names, message: `Found ${names.length} reference IDs` };
    },
  );
};

const addRoute: FastifyPluginAsyncZod<ReferenceDeps> = async (app, { voices, library, accounting }) => {
  app.post(
    '/v1/references/add',
    {
      config: WRITE,
      schema: {
        operationId: 'addReference',
        summary: 'Create a named voice from a recording',
        tags: ['voices'],
        consumes: FORM_TYPES,
        querystring: Query,
        body: AddBody,
        response: {
          200: done,
          ...referenceErrors(
            ...COMMON_ERRORS,
            'invalid_audio',
            'audio_too_long',
            'unusable_recording',
            'reference_exists',
            'voice_limit',
            'cloning_unavailable',
            'engine_failed',
            'engine_unavailable',
          ),
        },
      },
    },
    async (request, reply) => {
      const { id, audio, text: transcript } = request.body;
      assertNotBuiltIn(voices, id, createReferenceExistsError);
      await library.create(
        ownerOf(request),
        {
          referenceName: id,
          title: id,
          description: '',
          visibility: 'private',
          tags: [],
          recordings: [{ ...audio, text: transcript || undefined }],
          cover: undefined,
          isRefined: false,
          consentStatement: '',
        },
        {
          signal: disconnectSignal(reply.raw),
          meterTranscript: meterTranscripts(accounting.billing, request.caller),
        },
      );
      return { success: true, message: `Reference voice '${id}' added successfully`, reference_id: id };
    },
  );
};

/** Renames and deletes voices. */
const changeRoutes: FastifyPluginAsyncZod<ReferenceDeps> = async (app, { voices, library }) => {
  app.post(
    '/v1/references/update',
    {
      config: WRITE,
      schema: {
        operationId: 'renameReference',
        summary: 'Rename a voice',
        tags: ['voices'],
        consumes: FORM_TYPES,
        querystring: Query,
        body: UpdateBody,
        response: {
          200: done,
          ...referenceErrors(...COMMON_ERRORS, 'model_not_found', 'reference_exists', 'not_yours'),
        },
      },
    },
    async (request) => {
      const { old_reference_id: from, new_reference_id: to } = request.body;
      const owner = ownerOf(request);
      assertNotBuiltIn(voices, from, createNotYoursError);
      assertNotBuiltIn(voices, to, createReferenceExistsError);
      const voice = await library.findNamed(owner.accountId, from);
      if (from !== to) await library.change(owner, voice.id, { referenceName: to, title: to });
      return { success: true, message: `Reference renamed from '${from}' to '${to}'`, reference_id: to };
    },
  );

  app.delete(
    '/v1/references/delete',
    {
      config: WRITE,
      schema: {
        operationId: 'deleteReference',
        summary: 'Delete a voice by its name',
        tags: ['voices'],
        consumes: FORM_TYPES,
        querystring: Query,
        body: DeleteBody,
        response: { 200: done, ...referenceErrors(...COMMON_ERRORS, 'model_not_found', 'not_yours') },
      },
    },
    async (request) => {
      const { reference_id: id } = request.body;
      const owner = ownerOf(request);
      assertNotBuiltIn(voices, id, createNotYoursError);
      await library.remove(owner, (await library.findNamed(owner.accountId, id)).id);
      return { success: true, message: `Reference '${id}' deleted successfully`, reference_id: id };
    },
  );
};

function assertNotBuiltIn(
  voices: ReferenceDeps['voices'],
  id: string,
  toError: (id: string) => ApiError,
): void {
  if (voices.resolve(id) !== undefined) throw toError(id);
}
