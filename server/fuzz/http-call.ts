import { Agent, request as sendRequest } from 'node:http';
import type { Socket } from 'node:net';

export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

export type FuzzOutcome =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly headers: Readonly<Record<string, string | string[] | undefined>>;
      readonly body: string;
    }
  /** No response within the time limit. */
  | { readonly kind: 'timeout' }
  /** The server closed the connection, or the client refused to send the request. */
  | { readonly kind: 'connection'; readonly message: string };

/** A stream of audio is abandoned after this many bytes: the response has proven to begin. */
const BODY_MAX_BYTES = 8192;
const agent = new Agent({ keepAlive: true, maxSockets: 32 });

/** Sends a request and reads the start of the response. Never rejects. */
export function callServer(url: string, request: FuzzRequest, timeoutMs: number): Promise<FuzzOutcome> {
  return new Promise((resolve) => {
    let isDone = false;
    const settle = (outcome: FuzzOutcome) => {
      if (isDone) return;
      isDone = true;
      clearTimeout(timer);
      resolve(outcome);
    };
    const timer = setTimeout(() => {
      settle({ kind: 'timeout' });
      outgoing?.destroy();
    }, timeoutMs);
    const { method, path, headers, body } = request;
    let outgoing: ReturnType<typeof sendRequest> | undefined;
    try {
      outgoing = sendRequest(`${url}${path}`, {
        method,
        agent,
        headers: { ...headers, ...(body && { 'content-length': String(body.length) }) },
      });
    } catch (error) {
      settle({ kind: 'connection', message: `not sent: ${String(error)}` });
      return;
    }
    outgoing.on('error', (error) => settle({ kind: 'connection', message: error.message }));
    outgoing.on('socket', ignoreErrors);
    outgoing.on('response', (response) => {
      const parts: Buffer[] = [];
      let length = 0;
      const finish = () =>
        settle({
          kind: 'response',
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(parts).toString('utf8', 0, 1000),
        });
      response.on('data', (chunk: Buffer) => {
        parts.push(chunk);
        length += chunk.length;
        if (length < BODY_MAX_BYTES) return;
        finish();
        response.destroy();
      });
      response.on('end', finish);
      response.on('close', finish);
      response.on('error', finish);
    });
    outgoing.end(body);
  });
}

const guarded = new WeakSet<Socket>();

/** A write that fails after the response was read is an error of the socket, and of no request. */
function ignoreErrors(socket: Socket): void {
  if (guarded.has(socket)) return;
  guarded.add(socket);
  socket.on('error', () => {});
}

/** A shell command that repeats a request. `bodyPath` is the file of its body. */
export function toCurl(url: string, { method, path, headers }: FuzzRequest, bodyPath?: string): string {
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const lines = Object.entries(headers).map(([name, value]) =>
    name === 'authorization' ? `-H "authorization: Bearer $KEY"` : `-H ${quote(`${name}: ${value}`)}`,
  );
  const body = bodyPath === undefined ? [] : [`--data-binary @${bodyPath}`];
  return ['curl -i -X', method, ...lines, ...body, quote(`${url}${path}`)].join(' ');
}
