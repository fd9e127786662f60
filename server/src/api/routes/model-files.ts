import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { SNIFF_BYTES, SNIFFED_MEDIA_TYPES, sniffAudio } from '../../audio/sniff.ts';
import type { ApiDeps } from '../dependencies.ts';
import { disconnectSignal } from '../responses/byte-stream.ts';
import { readHead, sendFile } from '../responses/file-response.ts';
import { errorResponses } from '../schemas/error-body.ts';
import { IMAGE_TYPES, imageTypeOf } from '../schemas/voices/model-form.ts';

type ModelFileDeps = Pick<ApiDeps, 'voices' | 'library' | 'previews' | 'config'>;

const fileOf = (description: string, mediaTypes: readonly string[]) => ({
  description,
  content: Object.fromEntries(mediaTypes.map((type) => [type, { schema: z.any() }])),
});
const OCTETS = 'application/octet-stream';
const COMMON_ERRORS = ['invalid_api_key', 'insufficient_scope', 'not_yours', 'model_not_found'] as const;

/** Audio samples and cover images of voices. */
export const modelFileRoutes: FastifyPluginAsyncZod<ModelFileDeps> = async (app, deps) => {
  const config = { isOpen: deps.config.publicVoices, scope: 'voices:read' } as const;
  const fileOptions = {
    // Users upload these files; `nosniff` keeps browsers from treating them as another type.
    headers: { 'x-content-type-options': 'nosniff', 'cache-control': 'private, max-age=300' },
    stallMs: deps.config.streamStallSeconds * 1000,
  };

  app.get(
    '/model/:id/samples/:index',
    {
      config,
      schema: {
        operationId: 'getModelSample',
        summary: 'Get a sample of a voice',
        description: 'A recording that the voice was cloned from, or a preview of a built-in voice.',
        tags: ['voices'],
        params: z.object({ id: z.string(), index: z.coerce.number().int().min(0) }),
        response: {
          200: fileOf('The audio file.', [...new Set(Object.values(SNIFFED_MEDIA_TYPES)), OCTETS]),
          ...errorResponses(...COMMON_ERRORS, 'invalid_parameter', 'engine_unavailable'),
        },
      },
    },
    async ({ params: { id, index }, caller }, reply) => {
      const builtIn = deps.voices.resolve(id);
      const path =
        builtIn === undefined
          ? await deps.library.filePath(id, caller?.accountId, index)
          : await deps.previews.findPath(builtIn, disconnectSignal(reply.raw));
      const sniffed = sniffAudio(await readHead(path, SNIFF_BYTES));
      const contentType = sniffed === undefined ? OCTETS : SNIFFED_MEDIA_TYPES[sniffed];
      await sendFile(reply, path, { ...fileOptions, contentType });
    },
  );

  app.get(
    '/model/:id/cover',
    {
      config,
      schema: {
        operationId: 'getModelCover',
        summary: 'Get the cover image of a voice',
        tags: ['voices'],
        params: z.object({ id: z.string() }),
        response: {
          200: fileOf('The image.', [...IMAGE_TYPES, OCTETS]),
          ...errorResponses(...COMMON_ERRORS),
        },
      },
    },
    async ({ params: { id }, caller }, reply) => {
      const path = await deps.library.filePath(id, caller?.accountId, 'cover');
      const contentType = imageTypeOf(await readHead(path, SNIFF_BYTES)) ?? OCTETS;
      await sendFile(reply, path, { ...fileOptions, contentType });
    },
  );
};
