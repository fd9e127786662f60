import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { pack } from 'msgpackr';
import { WebSocket } from 'ws';
import type { JsonSchema } from '../../support/calls/json-schema.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { RandomVoiceMaker } from '../../support/workers/random-voice-maker.ts';
import { RecordingCloner } from '../../support/workers/recording-cloner.ts';

/** Stands for every text, name, secret and recording. Three bytes, so that each base64 encoding of it is recognised. */
const MARK = 'zqx'.repeat(8);
const LEAKS = [/zqxzqx/i, /enF4enF4/, /7a71787a7178/i, /122,113,120,122,113,120/];

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: JsonSchema }> };
}

interface Contract {
  readonly paths: Record<string, Record<string, Omit<Operation, 'method' | 'path'>>>;
  readonly components: { readonly schemas: Record<string, JsonSchema> };
}

const lines: string[] = [];
let server: TestServer;
let contract: Contract;
before(async () => {
  contract = JSON.parse(
    await readFile(new URL('../../../../openapi.json', import.meta.url), 'utf8'),
  ) as Contract;
  server = await startTestServer({
    log: { write: (line) => void lines.push(line) },
    voices: { cloner: new RecordingCloner() },
    maker: new RandomVoiceMaker(),
  });
});
after(() => server.close());

/** Fields of the routes for clients of other services. */
const COMPAT_SCHEMA: JsonSchema = {
  type: 'object',
  required: ['input', 'text', 'model', 'voice'],
  properties: {
    input: { type: 'string' },
    text: { type: 'string' },
    model: { enum: ['tts-1'] },
    voice: { enum: ['alloy'] },
    instructions: { type: 'string' },
    file: { type: 'string' },
  },
};

/** Routes for clients of other services, which the OpenAPI document leaves out. */
const COMPAT: readonly Operation[] = [
  '/v1/audio/speech',
  '/v1/audio/transcriptions',
  '/v1/chat/completions',
  ...['', '/stream', '/with-timestamps'].flatMap((suffix) =>
    ['af_heart', MARK].map((voice) => `/compat/elevenlabs/v1/text-to-speech/${voice}${suffix}`),
  ),
  '/compat/elevenlabs/v1/speech-to-text',
  '/compat/elevenlabs/v1/voices/add',
].map((path) => ({
  method: 'POST',
  path,
  requestBody: {
    content: {
      'application/json': { schema: COMPAT_SCHEMA },
      'multipart/form-data': { schema: COMPAT_SCHEMA },
    },
  },
}));

const SOCKETS = [
  '/v1/tts/live',
  '/v1/tts/live/with-timestamp',
  '/v1/asr/live',
  '/v1/realtime',
  '/compat/elevenlabs/v1/text-to-speech/af_heart/stream-input',
  '/compat/elevenlabs/v1/speech-to-text/realtime',
];

test('no route logs a text, a name, a recording or a secret at level trace', async () => {
  const operations = Object.entries(contract.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  );
  assert.ok(operations.length > 50);
  const statuses = new Set<number>();
  for (const operation of [...operations, ...COMPAT]) {
    for (const { path, init } of requestsFor(operation)) {
      const response = await fetch(server.url + path, init);
      await response.arrayBuffer();
      statuses.add(response.status);
    }
  }
  // Accepted, created, refused without a key, not found, and invalid: each takes another way through the server.
  for (const status of [200, 201, 400, 401, 404, 422])
    assert.ok(statuses.has(status), `no response ${status}; there are ${[...statuses].join(', ')}`);
  for (const path of SOCKETS) await talk(path);
  assert.ok(lines.length > operations.length, 'the requests are logged');
  const secrets = [server.key, server.key.slice(8)];
  for (const line of lines) {
    assert.ok(!LEAKS.some((leak) => leak.test(line)), `a log line contains the mark: ${line.slice(0, 500)}`);
    assert.ok(
      !secrets.some((secret) => line.includes(secret)),
      `a log line has the key: ${line.slice(0, 500)}`,
    );
  }
});

test('an engine that quotes the text in its error does not bring it into the log', async () => {
  const failed: string[] = [];
  const failure = (text: string) =>
    Object.assign(new Error(`cannot read "${text}"`, { cause: new TypeError(`bad input '${text}'`) }), {
      text,
    });
  const failing = await startTestServer({
    log: { write: (line) => void failed.push(line) },
    speech: {
      speak: ({ text }) => Promise.reject(failure(text)),
      speakTimed: ({ text }) => Promise.reject(failure(text)),
    },
  });
  try {
    for (const path of ['/v1/tts', '/v1/tts/stream/with-timestamp', '/v1/audio/speech']) {
      const response = await failing.call(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text: MARK, input: MARK, model: 'tts-1', voice: 'alloy' }),
      });
      await response.arrayBuffer();
    }
  } finally {
    await failing.close();
  }
  assert.ok(
    failed.some((line) => line.includes('cannot read')),
    'the error is logged',
  );
  for (const line of failed) assert.ok(!LEAKS.some((leak) => leak.test(line)), line.slice(0, 500));
});

test('the test would find a mark', () => {
  const encodings = [MARK, MARK.toUpperCase(), encodeURIComponent(MARK)];
  const bytes = Buffer.from(MARK);
  for (const text of [...encodings, bytes.toString('base64'), bytes.toString('hex'), JSON.stringify(bytes)]) {
    assert.ok(
      LEAKS.some((leak) => leak.test(text)),
      text,
    );
  }
});

/** A complete body, a damaged one and a wrong key, with the mark wherever a client has a choice. */
function requestsFor(operation: Operation): { readonly path: string; readonly init: RequestInit }[] {
  const { method, parameters = [], requestBody } = operation;
  const query = new URLSearchParams({ unknown: MARK });
  for (const parameter of parameters) if (parameter.in === 'query') query.set(parameter.name, MARK);
  const bare = operation.path.replaceAll(/\{\w+\}/g, MARK);
  const path = `${bare}?${query}`;
  const headers = {
    authorization: `Bearer ${server.key}`,
    cookie: `mynah-session=${MARK}`,
    'idempotency-key': MARK,
    'user-agent': MARK,
    'x-other': MARK,
  };
  const wrongKey = { ...headers, authorization: `Bearer mynah_${MARK}`, 'xi-api-key': MARK };
  if (method === 'GET' || method === 'DELETE') {
    return [
      { path: bare, init: { method, headers } },
      { path, init: { method, headers } },
      { path, init: { method, headers: wrongKey } },
    ];
  }
  const { 'idempotency-key': _, ...once } = headers;
  const bodies = Object.entries(requestBody?.content ?? { 'application/json': { schema: {} } }).flatMap(
    ([type, { schema }]) => [
      ...encode(type, sampleOf(schema, { isComplete: true })),
      ...encode(type, sampleOf(schema, { isComplete: false })),
    ],
  );
  return [
    ...bodies.map(({ body, type }) => ({
      path: bare,
      init: { method, headers: { ...once, ...(type && { 'content-type': type }) }, body },
    })),
    ...['application/json', 'application/msgpack', 'multipart/form-data; boundary=x', 'text/plain'].map(
      (type) => ({
        path,
        init: { method, headers: { ...headers, 'content-type': type }, body: `{"text": "${MARK}", ${MARK}` },
      }),
    ),
    { path, init: { method, headers: wrongKey, body: MARK } },
  ];
}

function encode(
  type: string,
  value: unknown,
): { readonly type: string | undefined; readonly body: NonNullable<RequestInit['body']> }[] {
  if (type === 'application/json') return [{ type, body: JSON.stringify(value) }];
  if (type === 'application/msgpack') return [{ type, body: Uint8Array.from(pack(value)) }];
  const form = new FormData();
  for (const [name, field] of Object.entries((value ?? {}) as object)) {
    const isFile = /audio|voices|file|image/.test(name);
    form.append(name, isFile ? new Blob([MARK]) : typeof field === 'string' ? field : JSON.stringify(field));
  }
  return [{ type: undefined, body: form }];
}

interface SampleOptions {
  /** With the optional properties. */
  readonly isComplete: boolean;
  readonly depth?: number;
}

/** A value of a schema, with the mark as every text. */
function sampleOf(schema: JsonSchema, options: SampleOptions): unknown {
  const { isComplete, depth = 0 } = options;
  if (depth > 6) return MARK;
  const below = (inner: JsonSchema) => sampleOf(inner, { isComplete, depth: depth + 1 });
  if (schema.$ref !== undefined) {
    return below(contract.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});
  }
  const option = [schema.anyOf, schema.oneOf, schema.allOf].flatMap((options) => options ?? [])[0];
  if (option !== undefined) return below(option);
  if (schema.enum !== undefined) return schema.enum[0];
  const type = [schema.type].flat()[0];
  if (type === 'object') {
    return Object.fromEntries(
      Object.entries(schema.properties ?? {})
        .filter(([name]) => isComplete || schema.required?.includes(name))
        .map(([name, property]) => [name, below(property)]),
    );
  }
  if (type === 'array') return schema.items ? [below(schema.items)] : [];
  if (type === 'integer' || type === 'number') return schema.default ?? schema.minimum ?? 1;
  if (type === 'boolean') return false;
  return schema.default ?? MARK;
}

/** Opens a socket, sends marked frames and waits for its end. */
async function talk(path: string): Promise<void> {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}${path}?model_id=${MARK}`, {
    headers: { authorization: `Bearer ${server.key}`, 'xi-api-key': server.key },
  });
  await new Promise<void>((resolve) => {
    socket.once('open', () => {
      socket.send(pack({ event: 'start', request: { text: MARK, reference_id: MARK } }));
      socket.send(pack({ event: 'text', text: MARK }));
      socket.send(JSON.stringify({ type: MARK, text: MARK }));
      socket.send(Buffer.from(MARK));
      socket.close();
    });
    socket.once('error', () => resolve());
    socket.once('close', () => resolve());
  });
}
