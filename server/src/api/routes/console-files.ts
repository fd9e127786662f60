import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { PACKAGE_ROOT } from '../../config/package-info.ts';
import { ApiError } from '../../errors.ts';
import type { ApiDeps } from '../dependencies.ts';
import { isNavigation, type PageSender } from '../plugins/not-found.ts';

/** Folder of the built web console. */
export const CONSOLE_FOLDER = ['console/dist', '../console/dist']
  .map((folder) => fileURLToPath(new URL(folder, PACKAGE_ROOT)))
  .reduce((packaged, inClone) => (existsSync(packaged) ? packaged : inClone));

/** Paths of the pages. Each is served the same document, whose script renders the page. */
export const CONSOLE_PAGES = [
  '/',
  '/login',
  '/dialogue',
  '/voices',
  '/voices/:id',
  '/clone',
  '/transcribe',
  '/transcribe/:id',
  '/talk',
  '/dictionaries',
  '/dictionaries/:id',
  '/keys',
  '/usage',
  '/sessions',
  '/admin',
  '/admin/:section',
] as const;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
};
const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const;

/** Everything comes from this server; no inline scripts or styles. Recordings are played from blobs. */
function contentSecurityPolicy(connect = "'self'"): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "font-src 'self'",
    `connect-src ${connect}`,
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The page of conversations may call a chat server that the user enters; no other page may call other servers. */
const CONNECT_FROM_TALK = "'self' https: http://localhost:* http://127.0.0.1:*";

interface ConsoleFile {
  readonly type: string;
  readonly etag: string;
  readonly content: Buffer;
  /** The compressed content by encoding. */
  readonly compressed: ReadonlyMap<string, Buffer>;
}

/**
 * The files of the console. All are read when the first one is needed, about a megabyte: later requests do not depend on the folder,
 * which an upgrade may replace, and no path of a request reaches the file system.
 */
export class ConsoleFiles {
  /** Paths of the files that are neither the document nor below `/assets`. */
  readonly rootPaths: readonly string[];
  readonly #folder: string;
  #files: Promise<ReadonlyMap<string, ConsoleFile>> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    this.rootPaths = readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'index.html' && extname(entry.name) in TYPES)
      .map(({ name }) => `/${name}`);
  }

  async find(path: string): Promise<ConsoleFile | undefined> {
    this.#files ??= readFiles(this.#folder).catch((error: unknown) => {
      this.#files = undefined;
      throw error;
    });
    return (await this.#files).get(path);
  }
}

type Deps = Pick<ApiDeps, 'config' | 'consoleFolder'>;

/** Whether the web console is on and has been built. */
export function hasConsole({ config, consoleFolder }: Deps): boolean {
  return config.console && existsSync(join(consoleFolder, 'index.html'));
}

/** The files of the web console. Undefined if it is off or has not been built. */
export function findConsole(deps: Deps): ConsoleFiles | undefined {
  return hasConsole(deps) ? new ConsoleFiles(deps.consoleFolder) : undefined;
}

/** Sends the document of the console. Its script renders the page of the path, or that the path has none. */
export function createPageSender(files: ConsoleFiles, connect?: string): PageSender {
  const headers = {
    'cache-control': 'no-cache',
    'content-security-policy': contentSecurityPolicy(connect),
    'permissions-policy': 'microphone=(self), camera=(), geolocation=(), payment=()',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'x-frame-options': 'DENY',
  };
  return async (request, reply) => {
    const document = await files.find('/index.html');
    if (document === undefined) throw new Error('The web console has no index.html.');
    return send(request, reply.headers(headers), document);
  };
}

interface RouteOptions {
  /** Undefined without a console: then `/` leads to the API reference. */
  readonly files: ConsoleFiles | undefined;
}

/** The pages and files of the web console. */
export const consoleFileRoutes: FastifyPluginAsyncZod<RouteOptions> = async (app, { files }) => {
  const route = { config: { isOpen: true }, schema: { hide: true } };
  if (files === undefined) {
    app.get('/', route, async (_request, reply) => reply.redirect('/docs'));
    return;
  }
  const sendPage = createPageSender(files);
  const sendTalkPage = createPageSender(files, CONNECT_FROM_TALK);
  for (const path of CONSOLE_PAGES) {
    const sendThis = path === '/talk' ? sendTalkPage : sendPage;
    app.get(path, route, async (request, reply) => sendThis(request, reply));
  }
  const sendFile = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { path, cacheControl }: { readonly path: string; readonly cacheControl: string },
  ) => {
    const file = await files.find(path);
    if (file === undefined) {
      if (isNavigation(request)) return sendPage(request, reply.code(404));
      throw new ApiError('not_found', 'Not Found');
    }
    reply.headers({ 'cache-control': cacheControl, 'content-security-policy': "default-src 'none'" });
    return send(request, reply, file);
  };
  for (const path of files.rootPaths) {
    const file = { path, cacheControl: 'no-cache' };
    app.get(path, route, async (request, reply) => sendFile(request, reply, file));
  }
  // One route: the router takes half a millisecond of the start for each.
  app.get('/assets/:name', route, async (request, reply) => {
    const { name } = request.params as { readonly name: string };
    // Names contain a hash of the content.
    const cacheControl = 'public, max-age=31536000, immutable';
    return sendFile(request, reply, { path: `/assets/${name}`, cacheControl });
  });
};

function send(request: FastifyRequest, reply: FastifyReply, file: ConsoleFile): FastifyReply {
  const accepted = request.headers['accept-encoding'] ?? '';
  const encoding = ENCODINGS.find(
    ({ name }) =>
      file.compressed.has(name) && new RegExp(`\\b${name}\\b(?!;q=0(\\.0*)?(,|$))`).test(accepted),
  );
  reply.headers({ etag: file.etag, vary: 'accept-encoding', 'x-content-type-options': 'nosniff' });
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send();
  reply.type(file.type);
  if (encoding === undefined) return reply.send(file.content);
  return reply.header('content-encoding', encoding.name).send(file.compressed.get(encoding.name));
}

async function readFiles(folder: string): Promise<ReadonlyMap<string, ConsoleFile>> {
  const files = new Map<string, ConsoleFile>();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = new Set(entries.map(({ parentPath, name }) => join(parentPath, name)));
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const type = TYPES[extname(path)];
    if (!entry.isFile() || type === undefined) continue;
    const content = await readFile(path);
    const hash = createHash('sha256').update(content).digest('base64url').slice(0, 27);
    const compressed = new Map<string, Buffer>();
    for (const { name, suffix } of ENCODINGS) {
      if (names.has(path + suffix)) compressed.set(name, await readFile(path + suffix));
    }
    const url = `/${relative(folder, path).split(sep).join('/')}`;
    files.set(url, { type, etag: `W/"${hash}"`, content, compressed });
  }
  return files;
}
