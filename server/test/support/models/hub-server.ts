import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

/** A file of the test hub, and how the server behaves when it is asked for. */
export interface HostedFile {
  readonly content: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** Cuts the connection after this many bytes, this many times. */
  cuts?: { afterBytes: number; times: number };
  /** Answers with these statuses first, one for each request. */
  failures?: number[];
  readonly ignoresRange?: boolean;
  /** Sends nothing from this byte on, but keeps the connection. */
  readonly silentFromByte?: number;
  /** Sends in chunks of this size with a pause between them. The pause may be changed on the way. */
  readonly throttle?: { readonly chunkBytes: number; pauseMs: number };
}

/** A running test hub. */
export interface HubServer {
  readonly url: string;
  /** `METHOD path range`, in the order of arrival. */
  readonly requests: string[];
  /** The `authorization` of each request. */
  readonly tokens: (string | undefined)[];
}

/** Serves files by their whole path, with ranges, until the test ends. */
export async function startHubServer(t: TestContext, files: Record<string, HostedFile>): Promise<HubServer> {
  const requests: string[] = [];
  const tokens: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    tokens.push(request.headers.authorization);
    requests.push([request.method, request.url, request.headers.range].filter(Boolean).join(' '));
    const file = files[request.url ?? ''];
    if (file === undefined) response.writeHead(404).end();
    else answer(request, response, file).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, tokens };
}

async function answer(request: IncomingMessage, response: ServerResponse, file: HostedFile): Promise<void> {
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
  const cut = file.cuts !== undefined && file.cuts.times-- > 0 ? file.cuts.afterBytes : undefined;
  const body = content.subarray(startByte, cut === undefined ? undefined : startByte + cut);
  if (file.silentFromByte !== undefined) {
    response.write(content.subarray(startByte, Math.max(startByte, file.silentFromByte)));
    return;
  }
  const chunkBytes = file.throttle?.chunkBytes ?? (body.length || 1);
  for (let offset = 0; offset < body.length; offset += chunkBytes) {
    response.write(body.subarray(offset, offset + chunkBytes));
    await sleep(file.throttle?.pauseMs ?? 0);
    if (response.destroyed) return;
  }
  if (cut === undefined) response.end();
  else setTimeout(() => response.destroy(), 20);
}
