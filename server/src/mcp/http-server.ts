import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { Mynah } from 'mynah';
import type { Logger } from '../logger.ts';
import { ConnectionLimit } from './connection-limit.ts';
import { KeyVerifier } from './key-verifier.ts';
import { createMcpServer } from './mcp-server.ts';
import { BodyBudget, readMessage } from './read-message.ts';

const PATH = '/mcp';
/** A request may contain recordings in base64. */
const BODY_MAX_BYTES = 32 * 1024 * 1024;
/** Maximum size of all bodies in memory. */
const BODIES_MAX_BYTES = 64 * 1024 * 1024;
/** Maximum number of requests with a valid key, and of keys that are being verified. */
const REQUESTS_MAX = 32;
const VERIFICATIONS_MAX = 32;
const CONNECTIONS_MAX = 256;
/** Time for a client to send a request, and its headers. */
const REQUEST_TIMEOUT_MS = 2 * 60 * 1000;
const HEADERS_TIMEOUT_MS = 10_000;

export interface McpHttpOptions {
  readonly host: string;
  readonly port: number;
  /** The server that the tools use. */
  readonly baseUrl: string;
  readonly logger: Logger;
}

/**
 * Serves the tools over streamable HTTP, without sessions. The client sends an API key of the Mynah server as a bearer
 * token; the tools use it and have no access to files.
 */
export async function startMcpHttpServer(
  options: McpHttpOptions,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const timeouts = { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: HEADERS_TIMEOUT_MS };
  const http = createServer(timeouts, (request, response) => {
    serve(request, response, parts).catch((err: unknown) => {
      options.logger.error({ err }, 'MCP request failed');
      if (!response.headersSent) refuse(response, 500, 'Something went wrong.');
      else response.destroy();
    });
  });
  const parts: Parts = {
    baseUrl: options.baseUrl,
    bodies: new BodyBudget(BODIES_MAX_BYTES),
    keys: new KeyVerifier(options.baseUrl),
    connections: new ConnectionLimit(http, CONNECTIONS_MAX),
    requests: new Slots(REQUESTS_MAX),
    verifications: new Slots(VERIFICATIONS_MAX),
  };
  http.listen(options.port, options.host);
  await once(http, 'listening');
  return {
    // The address of an HTTP server that listens on TCP is an object.
    port: (http.address() as AddressInfo).port,
    async close() {
      const closed = once(http, 'close');
      http.close();
      http.closeAllConnections();
      await closed;
    },
  };
}

/** A refused request: status and message. */
interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** What the requests share. */
interface Parts {
  readonly baseUrl: string;
  readonly bodies: BodyBudget;
  readonly keys: KeyVerifier;
  readonly connections: ConnectionLimit;
  readonly requests: Slots;
  readonly verifications: Slots;
}

/** Serves a request. Its key is verified before it takes a slot and before its body is read. */
async function serve(request: IncomingMessage, response: ServerResponse, parts: Parts): Promise<void> {
  const apiKey = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
  const refusal = refusalOf(request, apiKey);
  if (refusal !== undefined || apiKey === undefined) {
    refuse(response, refusal?.status ?? 401, refusal?.message ?? '');
    return;
  }
  const keyRefusal = await verify(apiKey, parts);
  if (keyRefusal !== undefined) {
    refuse(response, keyRefusal.status, keyRefusal.message);
    return;
  }
  parts.connections.markVerified(request.socket);
  const { baseUrl, bodies, requests } = parts;
  if (response.destroyed) return;
  if (!requests.tryTake()) {
    refuse(response, 503, 'Too many requests.');
    return;
  }
  response.once('close', () => requests.release());
  let heldBytes = 0;
  const onBytes = (bytes: number) => {
    if (!bodies.tryAdd(bytes)) return false;
    heldBytes += bytes;
    return true;
  };
  response.once('close', () => {
    bodies.release(heldBytes);
    heldBytes = 0;
  });
  const read = await readMessage(request, { maxBytes: BODY_MAX_BYTES, onBytes });
  if (read.kind === 'refused') {
    refuse(response, read.status, read.reason);
    return;
  }
  const server = createMcpServer({ client: new Mynah({ baseUrl, apiKey }), isLocal: false });
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  response.once('close', () => {
    transport.close().catch(() => {});
    server.close().catch(() => {});
  });
  // The class declares optional members as possibly undefined, its interface does not.
  await server.connect(transport as Parameters<typeof server.connect>[0]);
  await transport.handleRequest(request, response, read.message);
}

/** Verifies a key, unless it was valid a moment ago. Keys that are being verified have slots of their own. */
async function verify(
  apiKey: string,
  { keys, verifications }: Pick<Parts, 'keys' | 'verifications'>,
): Promise<Refusal | undefined> {
  if (keys.isKnown(apiKey)) return undefined;
  if (!verifications.tryTake()) return { status: 503, message: 'Too many requests.' };
  const state = await keys.verify(apiKey).finally(() => verifications.release());
  if (state === 'valid') return undefined;
  return state === 'invalid'
    ? { status: 401, message: 'The API key is not valid (invalid_api_key).' }
    : { status: 503, message: 'The Mynah server does not answer.' };
}

/** A number of slots. */
class Slots {
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  tryTake(): boolean {
    if (this.#free === 0) return false;
    this.#free--;
    return true;
  }

  release(): void {
    this.#free++;
  }
}

function refusalOf(request: IncomingMessage, apiKey: string | undefined): Refusal | undefined {
  if (request.url?.split('?')[0] !== PATH) return { status: 404, message: `The path is ${PATH}.` };
  if (request.method !== 'POST') return { status: 405, message: 'Use POST.' };
  // Browsers send an origin: pages of web sites must not reach a server on a private address.
  if (request.headers.origin !== undefined) return { status: 403, message: 'Browsers are not allowed.' };
  if (apiKey === undefined) return { status: 401, message: 'An API key is required as a bearer token.' };
  return undefined;
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const error = { jsonrpc: '2.0', id: null, error: { code: -32_000, message } };
  response
    .writeHead(status, { 'content-type': 'application/json', connection: 'close' })
    .end(JSON.stringify(error));
}
