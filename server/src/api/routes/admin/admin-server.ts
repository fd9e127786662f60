import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { AuditAction } from '../../../domain/accounts/audit/audit-log.ts';
import type { ApiDeps, AuthenticatedRequest } from '../../dependencies.ts';
import { errorResponses, KEY_ERRORS } from '../../schemas/error-body.ts';
import { ManagedModelSchema } from '../../schemas/server/managed-model.ts';
import { ServerStatusSchema } from '../../schemas/server/server-status.ts';
import { actorOf } from '../../wire/actor.ts';

const config = { scope: 'admin' } as const;
const tags = ['admin'];
const Params = z.object({ id: z.string().max(128) });
const JOB_ERRORS = [...KEY_ERRORS, 'model_not_found', 'model_jobs_full'] as const;

type Deps = Pick<ApiDeps, 'models' | 'status' | 'audit'>;

/** The state of the server, and the models on its disk. */
export const adminServerRoutes: FastifyPluginAsyncZod<Deps> = async (app, { models, status, audit }) => {
  const record = (request: AuthenticatedRequest, action: AuditAction, target: string) =>
    audit.record({ actor: actorOf(request), action, accountId: undefined, target, facts: {} });

  app.get(
    '/v1/admin/status',
    {
      config,
      schema: {
        operationId: 'adminGetStatus',
        summary: 'Load, queues and nodes of the cluster',
        tags,
        response: { 200: ServerStatusSchema, ...errorResponses(...KEY_ERRORS) },
      },
    },
    async () => status(),
  );

  app.get(
    '/v1/admin/models',
    {
      config,
      schema: {
        operationId: 'adminListModels',
        summary: 'List the models of the catalogue and their state on disk',
        tags,
        response: { 200: z.object({ items: z.array(ManagedModelSchema) }), ...errorResponses(...KEY_ERRORS) },
      },
    },
    async () => ({ items: [...(await models.list())] }),
  );

  app.post(
    '/v1/admin/models/:id/pull',
    {
      config,
      schema: {
        operationId: 'adminPullModel',
        summary: 'Fetch a model',
        description:
          'Starts the download and returns; the list shows its progress. Voices of a new model appear when the server is restarted.',
        tags,
        params: Params,
        response: { 202: ManagedModelSchema, ...errorResponses(...JOB_ERRORS) },
      },
    },
    async (request, reply) => {
      const model = await models.start(request.params.id, 'pull');
      await record(request, 'model.pull', model.id);
      return reply.code(202).send(model);
    },
  );

  app.post(
    '/v1/admin/models/:id/verify',
    {
      config,
      schema: {
        operationId: 'adminVerifyModel',
        summary: 'Compare the hashes of all files of a model',
        description:
          'Starts the verification and returns; the list shows the result. Damaged files are deleted, and a pull restores them.',
        tags,
        params: Params,
        response: { 202: ManagedModelSchema, ...errorResponses(...JOB_ERRORS) },
      },
    },
    async (request, reply) => {
      const model = await models.start(request.params.id, 'verify');
      await record(request, 'model.verify', model.id);
      return reply.code(202).send(model);
    },
  );
};
