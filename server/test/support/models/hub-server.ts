import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

/** A file of the test hub, and the behaviour of the server on requests for it. */
export interface HostedFile {
  readonly content: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Closes the connection after this many bytes, this many times, when `isReceived` says that the client has processed
   * the file up to a byte. Without it, a client that notices the end early discards what it has not read.
   */
  cuts?: { afterBytes: number; times: number; isReceived: (fileBytes: number) => boolean };
  /** Statuses of the first responses. */
  failures?: number[];
  readonly ignoresRange?: boolean;
  /** Sends no data from this byte on, with the connection open. */
  readonly silentFromByte?: number;
  /** Sends chunks of this size with a delay between them, and nothing from byte `holdFromByte` on while it is set. */
  readonly throttle?: { readonly chunkBytes: number; readonly pauseMs?: number; holdFromByte?: number };
}

/** A running test hub. */
export interface HubServer {
  readonly url: string;
  /** `METHOD path range`, in order of arrival. */
  readonly requests: string[];
  /** The `authorization` header of each request. */
  readonly tokens: (string | undefined)[];
}

/** Serves files by full path, with range requests, until the test ends. */
export async function startHubServer(t: TestContext, files: Record<string, HostedFile>): Promise<HubServer> {
  const requests: string[] = [];
  const tokens: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    tokens.push(request.headers.authorization);
    requests.push([request.method, request.url, request.headers.range].filter(Boolean).join(' '));
    const file = files[request.url ?? ''];
    if (file === undefined) response.writeHead(404).end();
    else respond(request, response, file).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, tokens };
}

async function respond(request: IncomingMessage, response: ServerResponse, file: HostedFile): Promise<void> {
  const status = file.failures?.shift();
  if (status !== undefined) {
    response.writeHead(status).end();
    return;
  }
  const { content } = file;
  const startByte = file.ignoresRange
    ? 0
    : Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  if (startByte > 0 && startByte >= content.length) {
    response.writeHead(416).end();
    return;
  }
  response.writeHead(startByte > 0 ? 206 : 200, {
    'content-length': content.length - startByte,
    ...(startByte > 0 && { 'content-range': `bytes ${startByte}-${content.length - 1}/${content.length}` }),
    ...file.headers,
  });
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  const cut = file.cuts !== undefined && file.cuts.times-- > 0 ? file.cuts : undefined;
  const endByte = cut === undefined ? content.length : startByte + cut.afterBytes;
  const body = content.subarray(startByte, endByte);
  if (file.silentFromByte !== undefined) {
    response.write(content.subarray(startByte, Math.max(startByte, file.silentFromByte)));
    return;
  }
  const chunkBytes = file.throttle?.chunkBytes ?? (body.length || 1);
  for (let offset = 0; offset < body.length; offset += chunkBytes) {
    const isHeld = () => startByte + offset >= (file.throttle?.holdFromByte ?? Number.POSITIVE_INFINITY);
    while (isHeld() && !response.destroyed) await sleep(5);
    if (response.destroyed) return;
    response.write(body.subarray(offset, offset + chunkBytes));
    await sleep(file.throttle?.pauseMs ?? 0);
  }
  if (cut === undefined) {
    response.end();
    return;
  }
  while (!cut.isReceived(endByte) && !response.destroyed) await sleep(1);
  response.destroy();
}
