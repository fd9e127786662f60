import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { PACKAGE_ROOT } from '../../config/package-info.ts';

const FOLDER = new URL('assets/docs/', PACKAGE_ROOT);
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

/** The page loads nothing from other servers; audio and images of responses are shown from blobs. */
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; media-src blob:; img-src blob: data:; frame-ancestors 'none'";

/** `/openapi.json`, and the interactive reference at `/docs`. */
export const docsRoutes: FastifyPluginAsyncZod = async (app) => {
  const route = { config: { isOpen: true }, schema: { hide: true } };
  const addDocument = (path: string, read: () => object) => {
    // Without a key: written once, so that a request costs next to nothing.
    let document: Buffer | undefined;
    app.get(path, route, async (_request, reply) => {
      document ??= Buffer.from(JSON.stringify(read()));
      return reply.type('application/json; charset=utf-8').send(document);
    });
  };
  addDocument('/openapi.json', () => app.swagger());
  addDocument('/docs/other-routes.json', () => app.describeOtherRoutes());

  for (const name of readdirSync(FOLDER)) {
    const content = readFileSync(new URL(name, FOLDER));
    app.get(name === 'index.html' ? '/docs' : `/docs/${name}`, route, async (_request, reply) =>
      reply
        .type(TYPES[extname(name)] ?? 'application/octet-stream')
        .header('content-security-policy', CONTENT_SECURITY_POLICY)
        .header('x-content-type-options', 'nosniff')
        .send(content),
    );
  }
};
