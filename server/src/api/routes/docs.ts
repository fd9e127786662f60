import { readFileSync } from 'node:fs';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { PACKAGE_ROOT } from '../../config/package-info.ts';

const ASSETS = [
  { url: '/docs', file: 'index.html', type: 'text/html; charset=utf-8' },
  { url: '/docs/reference.css', file: 'reference.css', type: 'text/css; charset=utf-8' },
  { url: '/docs/reference.js', file: 'reference.js', type: 'text/javascript; charset=utf-8' },
];

/** The page loads nothing from other servers; audio is played from blobs. */
const CONTENT_SECURITY_POLICY = "default-src 'self'; media-src blob:; img-src data:; frame-ancestors 'none'";

/** `/openapi.json`, and the interactive reference at `/docs`. */
export const docsRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/openapi.json', { config: { isOpen: true }, schema: { hide: true } }, async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(app.swagger()),
  );

  for (const { url, file, type } of ASSETS) {
    const content = readFileSync(new URL(`assets/docs/${file}`, PACKAGE_ROOT));
    app.get(url, { config: { isOpen: true }, schema: { hide: true } }, async (_request, reply) =>
      reply
        .type(type)
        .header('content-security-policy', CONTENT_SECURITY_POLICY)
        .header('x-content-type-options', 'nosniff')
        .send(content),
    );
  }
};
