import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RenderedMetrics } from './metrics-registry.ts';

export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Time for the headers of a scrape. */
const REQUEST_TIMEOUT_MS = 10_000;
const CONNECTIONS_MAX = 32;

/** Serves `GET /metrics` without authentication on a port of its own. */
export async function startMetricsServer(
  address: { readonly host: string; readonly port: number },
  render: (accept: string | undefined) => Promise<RenderedMetrics>,
): Promise<MetricsServer> {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    respond(request, response, render).catch(() => response.destroy());
  });
  server.maxConnections = CONNECTIONS_MAX;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, resolve);
  });
  return {
    // A listening TCP server has an address.
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  render: (accept: string | undefined) => Promise<RenderedMetrics>,
): Promise<void> {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead || request.url?.split('?')[0] !== '/metrics') {
    response.writeHead(404).end();
    return;
  }
  const { contentType, body } = await render(request.headers.accept);
  response.writeHead(200, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) });
  response.end(request.method === 'HEAD' ? undefined : body);
}
