import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
  readonly responses: Readonly<Record<string, unknown>>;
}

interface BodyRoute {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly responses: readonly string[];
}

let server: TestServer;
let routes: readonly BodyRoute[];
before(async () => {
  server = await startTestServer({ config: { bodyTimeoutSeconds: 1, streamStallSeconds: 1 } });
  const contract = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  routes = Object.entries(contract.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody, responses }]) =>
      Object.keys(requestBody?.content ?? {}).map((type) => ({
        name: `${method.toUpperCase()} ${path} with ${type}`,
        method: method.toUpperCase(),
        path: path.replaceAll(/\{\w+\}/g, 'x'),
        type,
        responses: Object.keys(responses),
      })),
    ),
  );
  assert.ok(routes.length > 20);
});
after(() => server.close());

/** The valid beginning of a body. */
const FIRST_BYTES: Readonly<Record<string, string | Buffer>> = {
  'multipart/form-data': '--b\r\n',
  'application/msgpack': Buffer.of(0x81),
};

/** The response to a request with an incomplete body. */
function respond({ method, path, type }: BodyRoute, contentLength: number): Promise<string> {
  const call = request(new URL(path, server.url), {
    method,
    headers: {
      authorization: `Bearer ${server.key}`,
      'content-type': type.startsWith('multipart/') ? `${type}; boundary=b` : type,
      'content-length': String(contentLength),
    },
  });
  call.write(FIRST_BYTES[type] ?? ' ');
  return new Promise((resolve, reject) => {
    call.once('error', reject);
    call.once('response', ({ statusCode, headers }) => {
      resolve(`${statusCode} ${String(headers['x-fish-error-code'])}`);
      call.on('error', () => {}).destroy();
    });
  });
}

async function collect(contentLength: number): Promise<string[]> {
  const responses = await Promise.all(
    routes.map(async (route) => `${route.name}: ${await respond(route, contentLength)}`),
  );
  return responses;
}

/** The login has no key. */
const isOpen = (line: string) => line.includes('/v1/console/session');

test('every route refuses a body that is too large before it arrives, as the contract says', async () => {
  const wrong = (await collect(1e12)).filter((line) => !/: 413 (body|request)_too_large$/.test(line));
  assert.deepEqual(wrong, []);
  assert.deepEqual(
    routes.filter(({ responses }) => !responses.includes('413')).map(({ name }) => name),
    [],
  );
});

test('every route refuses a body that does not arrive in time, as the contract says', async () => {
  const wrong = (await collect(100)).filter((line) => !/: 408 body_timeout$/.test(line) && !isOpen(line));
  assert.deepEqual(wrong, []);
  assert.deepEqual(
    routes.filter(({ responses }) => !responses.includes('408')).map(({ name }) => name),
    [],
  );
});
