import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { Packr } from 'msgpackr';
import { z } from 'zod';
import type { HttpDeps } from '../http-deps.ts';
import { errorResponses } from '../schemas/error-body.ts';

const ReferenceList = z
  .object({ success: z.boolean(), reference_ids: z.array(z.string()), message: z.string() })
  .meta({ id: 'ReferenceList' });

/** The list of voice names as the open-source fish-speech server gives it. */
export const referenceRoutes: FastifyPluginAsyncZod<Pick<HttpDeps, 'voices' | 'config'>> = async (
  app,
  deps,
) => {
  const packr = new Packr({ useRecords: false });
  app.get(
    '/v1/references/list',
    {
      config: { isOpen: deps.config.publicVoices, scope: 'voices:read' },
      schema: {
        operationId: 'listReferences',
        summary: 'List voice names',
        description: 'As fish-speech does it: MessagePack, unless JSON is asked for.',
        tags: ['voices'],
        querystring: z.object({ format: z.string().optional().describe('`json` for JSON.') }),
        response: {
          200: {
            description: 'The names that can be used as `reference_id`.',
            content: {
              'application/json': { schema: ReferenceList },
              'application/msgpack': { schema: ReferenceList },
            },
          },
          ...errorResponses('invalid_api_key', 'insufficient_scope'),
        },
      },
    },
    async (request, reply) => {
      const names = deps.voices.list().map((voice) => voice.name);
      const answer = { success: true, reference_ids: names, message: `Found ${names.length} reference IDs` };
      const isJson = request.query.format === 'json' || request.headers.accept?.includes('application/json');
      if (isJson) return reply.type('application/json').send(answer);
      // Fastify sends buffers as they are, past the schema that describes their content.
      return reply.type('application/msgpack').send(packr.pack(answer) as never);
    },
  );
};
