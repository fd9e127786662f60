import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pack, unpack } from 'msgpackr';
import { ERRORS } from '../../../src/errors.ts';
import { ACCOUNT_CALLS } from '../../support/calls/account-calls.ts';
import { BOOK_CALLS } from '../../support/calls/book-calls.ts';
import { type JsonSchema, validate } from '../../support/calls/json-schema.ts';
import type { OpenApiCall } from '../../support/calls/openapi-call.ts';
import { SESSION_CALLS } from '../../support/calls/session-calls.ts';
import { CREATE_VOICE, DESIGN_CALLS, REFERENCE_CALLS, VOICE_CALLS } from '../../support/calls/voice-calls.ts';
import { HEALTHY, startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { until } from '../../support/servers/real-server.ts';
import { RandomVoiceMaker } from '../../support/workers/random-voice-maker.ts';
import { RecordingCloner } from '../../support/workers/recording-cloner.ts';

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security?: readonly object[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: JsonSchema }> };
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema: JsonSchema }> }>;
}

interface Contract {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, JsonSchema>; readonly securitySchemes: object };
}

let server: TestServer;
/** Not ready yet, and stores no responses. */
let loading: TestServer;
/** Prepaid billing without credit; stores neither responses nor dictionaries. */
let paid: TestServer;
/** A key without scopes. */
let bareKey: string;
/** A key that several calls use. */
let sameKey: string;
let contract: Contract;
before(async () => {
  server = await startTestServer({
    voices: { cloner: new RecordingCloner() },
    maker: new RandomVoiceMaker(),
  });
  loading = await startTestServer({
    voices: { cloner: new RecordingCloner() },
    maker: new RandomVoiceMaker(),
    config: { idempotencyBodyMaxBytes: 0 },
    health: () => ({ ...HEALTHY, status: 'loading', ready: false }),
  });
  paid = await startTestServer({
    config: {
      billing: 'prepaid',
      console: false,
      idempotencyBodyMaxBytes: 0,
      dictionariesMax: 0,
      prices: FREE_PRO,
    },
  });
  bareKey = (await server.keys.create({ accountId: 'acc_first', name: 'bare', scopes: [] })).key;
  sameKey = await makeKey();
  await server.accounts.keyStore.ensureAccount({ id: 'acc_spare', name: 'Spare', createdAtMs: 1 });
  contract = (await (await fetch(`${server.url}/openapi.json`)).json()) as Contract;
});
after(async () => {
  await server.close();
  await loading.close();
  await paid.close();
});

const json = { 'content-type': 'application/json' };
const once = { ...json, model: 's2.1-pro-free', 'idempotency-key': 'once' };
const noKey = { authorization: '' };
const speak = (status: number, body: unknown, headers: Record<string, string> = json): OpenApiCall => ({
  operation: 'POST /v1/tts',
  status,
  path: '/v1/tts',
  init: { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) },
});

const transcribe = (
  status: number,
  form: object,
  { query = '', ...headers }: Record<string, string> = {},
): OpenApiCall => ({
  operation: 'POST /v1/asr',
  status,
  path: `/v1/asr${query}`,
  init: {
    method: 'POST',
    headers: { 'content-type': 'application/msgpack', ...headers },
    body: Uint8Array.from(pack(form)),
  },
});
const audio = Buffer.from('audio:hello there');
const convert = (...given: Parameters<typeof transcribe>): OpenApiCall => ({
  ...transcribe(...given),
  operation: 'POST /v1/speech-to-speech',
  path: '/v1/speech-to-speech',
});
const convertedOnce = { 'idempotency-key': 'once-converted' };
/** A transcription request of an account without credit. */
const FREE_PRO = { asr: { 'transcribe-1-pro': 0 } };
const heardOnce = { model: 'transcribe-1-pro', 'idempotency-key': 'once-heard' };
const timed = (...given: Parameters<typeof speak>): OpenApiCall => ({
  ...speak(...given),
  operation: 'POST /v1/tts/stream/with-timestamp',
  path: '/v1/tts/stream/with-timestamp',
});

const DICTIONARIES = '/v1/pronunciation-dictionaries';
const ONE = `${DICTIONARIES}/{dictionary_id}`;
const RULES = [{ key: 'nginx', value: 'EH1 N JH AH0 N' }];

/** The calls of a dictionary operation with all its common errors; `refused` has invalid bodies by status. */
function dictionaryCalls(
  operation: string,
  path: string,
  status: number,
  { body, refused = [] }: { body?: object; refused?: readonly (readonly [number, string, object?])[] } = {},
): OpenApiCall[] {
  const method = operation.split(' ')[0]!;
  const call = (
    answer: number,
    target: string,
    content?: object,
    more: Partial<OpenApiCall> = {},
  ): OpenApiCall => ({
    operation,
    status: answer,
    path: target,
    ...more,
    init: {
      method,
      ...more.init,
      ...(content && { headers: { ...json, ...more.init?.headers }, body: JSON.stringify(content) }),
    },
  });
  const bodyErrors: OpenApiCall[] = [
    { operation, status: 400, path, init: { method, headers: json, body: '{' } },
    { operation, status: 415, path, init: { method, headers: { 'content-type': 'text/plain' }, body: 'x' } },
  ];
  return [
    call(status, path, body),
    call(401, path, body, { init: { headers: noKey } }),
    call(403, path, body, { hasNoScopes: true }),
    ...(path.includes('/DICT') ? [call(404, path.replace('DICT', 'none'), body)] : []),
    ...refused.map(([answer, target, content]) => call(answer, target, content)),
    ...(body === undefined ? [] : bodyErrors),
  ];
}

const CALLS: readonly OpenApiCall[] = [
  ...['mp3', 'wav', 'pcm', 'opus', 'flac'].map((format) => speak(200, { text: 'hi', format })),
  timed(200, { text: 'hi' }),
  timed(200, { text: 'hi' }, { ...json, accept: 'text/vtt' }),
  timed(200, { text: 'hi' }, { ...json, accept: 'application/x-subrip' }),
  ...[speak, timed].flatMap((call, index): OpenApiCall[] => {
    const headers = { ...once, 'idempotency-key': `once-${index}` };
    return [
      call(400, {}),
      call(400, { text: 'hi', reference_id: 'nobody' }),
      call(401, { text: 'hi' }, noKey),
      { ...call(402, { text: 'hi' }), server: 'paid' },
      { ...call(403, { text: 'hi' }), hasNoScopes: true },
      { ...call(200, { text: 'once' }, headers), server: 'paid' },
      { ...call(409, { text: 'once' }, headers), server: 'paid' },
      { ...call(422, { text: 'twice' }, headers), server: 'paid' },
      call(413, { text: 'x'.repeat(200_001) }),
      call(415, 'hi', { 'content-type': 'text/plain' }),
    ];
  }),
  transcribe(200, { audio, ignore_timestamps: false, format: 'verbose' }),
  transcribe(200, { audio }, { accept: 'text/vtt' }),
  transcribe(200, { audio }, { accept: 'application/x-subrip' }),
  transcribe(200, { audio, format: 'text' }),
  transcribe(200, { audio }, { accept: 'text/event-stream' }),
  transcribe(202, { audio }, { query: '?async=true' }),
  transcribe(400, {}),
  transcribe(401, { audio }, noKey),
  { ...transcribe(402, { audio }), server: 'paid' },
  { ...transcribe(200, { audio }, heardOnce), server: 'paid' },
  { ...transcribe(409, { audio }, heardOnce), server: 'paid' },
  { ...transcribe(422, { audio, prompt: 'Other words.' }, heardOnce), server: 'paid' },
  { ...transcribe(403, { audio }), hasNoScopes: true },
  transcribe(413, { audio, prompt: 'x'.repeat(300_000) }),
  transcribe(415, { audio }, json),
  ...['mp3', 'wav', 'pcm', 'opus', 'flac'].map((format) => convert(200, { audio, format })),
  convert(400, {}),
  convert(401, { audio }, noKey),
  { ...convert(402, { audio }), server: 'paid' },
  { ...convert(403, { audio }), hasNoScopes: true },
  { ...convert(200, { audio }, convertedOnce), server: 'loading' },
  { ...convert(409, { audio }, convertedOnce), server: 'loading' },
  { ...convert(422, { audio, seed: 1 }, convertedOnce), server: 'loading' },
  convert(415, { audio }, json),
  ...(['GET', 'DELETE'] as const).flatMap((method): OpenApiCall[] => [
    { operation: `${method} /v1/asr/{id}`, status: 200, path: '/v1/asr/JOB', init: { method } },
    {
      operation: `${method} /v1/asr/{id}`,
      status: 403,
      path: '/v1/asr/none',
      init: { method },
      hasNoScopes: true,
    },
    {
      operation: `${method} /v1/asr/{id}`,
      status: 401,
      path: '/v1/asr/JOB',
      init: { method, headers: noKey },
    },
    { operation: `${method} /v1/asr/{id}`, status: 404, path: '/v1/asr/none', init: { method } },
  ]),
  { operation: 'GET /v1/asr/{id}', status: 400, path: '/v1/asr/JOB?format=docx' },
  { operation: 'GET /v1/asr/{id}', status: 200, path: '/v1/asr/JOB?format=vtt' },
  ...dictionaryCalls(`POST ${DICTIONARIES}`, DICTIONARIES, 201, {
    body: { name: 'Terms' },
    refused: [[422, DICTIONARIES, {}]],
  }),
  {
    ...dictionaryCalls(`POST ${DICTIONARIES}`, DICTIONARIES, 409, { body: { name: 'x' } })[0]!,
    server: 'paid',
  },
  ...dictionaryCalls(`GET ${DICTIONARIES}`, DICTIONARIES, 200, {
    refused: [[422, `${DICTIONARIES}?page_size=0`]],
  }),
  ...dictionaryCalls(`GET ${ONE}`, `${DICTIONARIES}/DICT`, 200),
  ...dictionaryCalls(`PATCH ${ONE}`, `${DICTIONARIES}/DICT`, 200, {
    body: { name: 'Names' },
    refused: [[422, `${DICTIONARIES}/DICT`, { name: '' }]],
  }),
  ...dictionaryCalls(`DELETE ${ONE}`, `${DICTIONARIES}/DICT`, 204),
  ...dictionaryCalls(`POST ${ONE}/versions`, `${DICTIONARIES}/DICT/versions`, 201, {
    body: { rules: RULES },
    refused: [
      [400, `${DICTIONARIES}/DICT/versions`, { rules: [{ key: 'a', value: 'x' }] }],
      [409, `${DICTIONARIES}/DICT/versions`, { rules: RULES, expected_latest_version_id: 'none' }],
      [422, `${DICTIONARIES}/DICT/versions`, { rules: 5 }],
    ],
  }),
  ...dictionaryCalls(`GET ${ONE}/versions`, `${DICTIONARIES}/DICT/versions`, 200, {
    refused: [[422, `${DICTIONARIES}/DICT/versions?page_size=x`]],
  }),
  ...dictionaryCalls(`GET ${ONE}/versions/{version_id}`, `${DICTIONARIES}/DICT/versions/LATEST`, 200),
  ...dictionaryCalls(`DELETE ${ONE}/versions/{version_id}`, `${DICTIONARIES}/DICT/versions/OLD`, 204, {
    refused: [[409, `${DICTIONARIES}/DICT/versions/LATEST`]],
  }),
  { operation: 'GET /model', status: 200, path: '/model?page_size=100' },
  { operation: 'GET /model', status: 401, path: '/model', init: { headers: noKey } },
  { operation: 'GET /model', status: 403, path: '/model', hasNoScopes: true },
  { operation: 'GET /model', status: 422, path: '/model?page_size=101' },
  { operation: 'GET /model/{id}', status: 200, path: '/model/af_heart' },
  { operation: 'GET /model/{id}', status: 401, path: '/model/af_heart', init: { headers: noKey } },
  { operation: 'GET /model/{id}', status: 403, path: '/model/af_heart', hasNoScopes: true },
  { operation: 'GET /model/{id}', status: 404, path: '/model/nobody' },
  ...VOICE_CALLS,
  ...REFERENCE_CALLS,
  ...DESIGN_CALLS,
  ...['api-credit', 'package'].flatMap((name): OpenApiCall[] => [
    { operation: `GET /wallet/{user_id}/${name}`, status: 200, path: `/wallet/self/${name}` },
    {
      operation: `GET /wallet/{user_id}/${name}`,
      status: 401,
      path: `/wallet/self/${name}`,
      init: { headers: noKey },
    },
    { operation: `GET /wallet/{user_id}/${name}`, status: 403, path: `/wallet/somebody/${name}` },
  ]),
  ...BOOK_CALLS,
  ...ACCOUNT_CALLS,
  ...SESSION_CALLS,
  { operation: 'GET /v1/health', status: 200, path: '/v1/health' },
  { operation: 'POST /v1/health', status: 200, path: '/v1/health', init: { method: 'POST' } },
  { operation: 'GET /v1/health/ready', status: 200, path: '/v1/health/ready' },
  { operation: 'GET /v1/health/ready', status: 503, path: '/v1/health/ready', server: 'loading' },
  { operation: 'GET /healthz', status: 200, path: '/healthz' },
  { operation: 'GET /readyz', status: 200, path: '/readyz' },
  { operation: 'GET /readyz', status: 503, path: '/readyz', server: 'loading' },
];

for (const { operation, status, path, init, server: state, hasNoScopes, hasSession } of CALLS) {
  test(`${operation} responds ${status} as the contract says (${path}${init?.body ? `, ${String(init.body).slice(0, 40)}` : ''})`, async () => {
    const target = await withIds(path);
    const called = state === 'loading' ? loading : state === 'paid' ? paid : server;
    const headers = {
      ...init?.headers,
      ...(hasNoScopes && { authorization: `Bearer ${bareKey}` }),
      ...(hasSession && (await openSession()).headers),
    };
    const body = typeof init?.body === 'string' ? init.body.replace('FIRST_KEY', server.key) : init?.body;
    const response = await called.call(target, { ...init, headers, ...(body && { body }) });
    assert.equal(response.status, status);
    if (status === 204) {
      assert.equal(await response.text(), '');
      return;
    }
    const [method = '', url = ''] = operation.split(' ');
    const content = contract.paths[url]?.[method.toLowerCase()]?.responses[status]?.content;
    const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? '';
    const media = content?.[type];
    assert.ok(media, `${type} is not in the contract`);
    const bytes = Buffer.from(await response.arrayBuffer());
    if (/^(audio|image)\//.test(type)) assert.ok(bytes.length > 0);
    const isText = 'type' in media.schema && media.schema.type === 'string';
    for (const value of isText ? [bytes.toString()] : valuesOf(type, bytes))
      assert.deepEqual(validate(value, media.schema, contract), []);
  });
}

/** A path with placeholders replaced by ids of existing resources. */
async function withIds(path: string): Promise<string> {
  if (path.includes('VOICE')) return path.replace('VOICE', await createVoice());
  if (/BOOK|SPOKEN/.test(path)) return path.replace(/BOOK|SPOKEN/, await submitBook(path.includes('SPOKEN')));
  if (path.includes('JOB')) return path.replace('JOB', await submitJob());
  if (path.includes('SESSION')) return path.replace('SESSION', (await openSession()).id);
  if (path.includes('KEY')) return path.replace('KEY', await makeKey());
  if (path.includes('SAME')) return path.replace('SAME', sameKey);
  if (!path.includes('DICT')) return path;
  const ask = async (url: string, body: object) =>
    (await (
      await server.call(url, { method: 'POST', headers: json, body: JSON.stringify(body) })
    ).json()) as {
      id: string;
    };
  const { id } = await ask(DICTIONARIES, { name: 'x' });
  if (!/OLD|LATEST/.test(path)) return path.replace('DICT', id);
  const old = await ask(`${DICTIONARIES}/${id}/versions`, { rules: RULES });
  const latest = await ask(`${DICTIONARIES}/${id}/versions`, {
    rules: RULES,
    expected_latest_version_id: old.id,
  });
  return path.replace('DICT', id).replace('OLD', old.id).replace('LATEST', latest.id);
}

/** A new session, and the headers of a request of its browser. */
async function openSession(): Promise<{ id: string; headers: Record<string, string> }> {
  const client = { source: '192.0.2.1', userAgent: '' };
  const { session, token } = await server.accounts.sessions.open({ key: server.key }, client);
  const headers = { authorization: '', cookie: `mynah-session=${token}`, 'sec-fetch-site': 'same-origin' };
  return { id: session.id, headers };
}

async function makeKey(): Promise<string> {
  return (await server.keys.create({ accountId: 'acc_first', name: 'one of many' })).id;
}

async function createVoice(): Promise<string> {
  const { path, init } = CREATE_VOICE;
  return ((await (await server.call(path, init!)).json()) as { _id: string })._id;
}

/** A job that is finished, or paused. */
async function submitBook(isFinished: boolean): Promise<string> {
  const init = { method: 'POST', headers: json, body: JSON.stringify({ text: 'A short book.' }) };
  const { id } = (await (await server.call('/v1/tts/jobs', init)).json()) as { id: string };
  const path = `/v1/tts/jobs/${id}`;
  if (!isFinished) await server.call(`${path}/pause`, { method: 'POST' });
  else
    await until('the book is spoken', async () =>
      (await (await server.call(path)).text()).includes('"status":"finished"'),
    );
  return id;
}

async function submitJob(): Promise<string> {
  const { path, init } = transcribe(202, { audio }, { query: '?async=true' });
  return ((await (await server.call(path, init!)).json()) as { id: string }).id;
}

/** The body of a response in the form that its schema describes. */
function valuesOf(type: string, bytes: Buffer): unknown[] {
  const text = bytes.toString();
  switch (type) {
    case 'application/json':
      return [JSON.parse(text)];
    case 'application/msgpack':
      return [unpack(bytes)];
    case 'text/event-stream':
      return Array.from(text.matchAll(/^data: (.*)\n\n/gm), ([, data]) => JSON.parse(data!));
    default:
      return [];
  }
}

test('every operation was called with success, and with every error that a client can cause', () => {
  const called = new Set(CALLS.map(({ operation, status }) => `${operation} ${status}`));
  for (const [url, methods] of Object.entries(contract.paths)) {
    for (const [method, { responses }] of Object.entries(methods)) {
      const provoked = Object.keys(responses).filter(
        // body-contract.test.ts provokes 408 and 413 on every route.
        (status) => !['408', '413', '429'].includes(status) && Number(status) < 500,
      );
      for (const status of provoked) {
        assert.ok(
          called.has(`${method.toUpperCase()} ${url} ${status}`),
          `${method} ${url} ${status} was not called`,
        );
      }
    }
  }
});

test('the document is OpenAPI 3.1, with a unique operation id, a summary and a tag on each operation', () => {
  assert.match(contract.openapi, /^3\.1\./);
  const operations = Object.values(contract.paths).flatMap((methods) => Object.values(methods));
  assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length);
  for (const { operationId, summary, tags } of operations) {
    assert.match(operationId, /^[a-z][a-zA-Z]+$/);
    assert.ok(summary);
    assert.equal(tags.length, 1);
  }
});

test('every list in a request body has a maximum length', () => {
  const bodies = Object.entries(contract.paths).flatMap(([path, operations]) =>
    Object.values(operations).flatMap(({ requestBody }) =>
      Object.values(requestBody?.content ?? {}).map(({ schema }) => ({ path, schema })),
    ),
  );
  assert.ok(bodies.length > 10);
  const unbounded = bodies.flatMap(({ path, schema }) => unboundedLists(schema, path));
  assert.deepEqual([...new Set(unbounded)], []);
});

/** Paths of the arrays without `maxItems` in a schema. */
function unboundedLists(schema: JsonSchema, path: string, seen: ReadonlySet<string> = new Set()): string[] {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    const target = contract.components.schemas[name];
    return target === undefined || seen.has(name)
      ? []
      : unboundedLists(target, `${path} ${name}`, new Set([...seen, name]));
  }
  const isArray = [schema.type].flat().includes('array');
  return [
    ...(isArray && schema.maxItems === undefined ? [path] : []),
    ...(schema.items ? unboundedLists(schema.items, `${path}[]`, seen) : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
      unboundedLists(property, `${path}.${name}`, seen),
    ),
    ...[schema.anyOf, schema.oneOf, schema.allOf].flatMap((options) =>
      (options ?? []).flatMap((option) => unboundedLists(option, path, seen)),
    ),
  ];
}

test('the security of every route is documented', () => {
  assert.ok('bearer' in contract.components.securitySchemes);
  assert.equal(contract.paths['/v1/tts']?.post?.security, undefined);
  assert.deepEqual(contract.paths['/v1/health']?.get?.security, []);
});

test('the body of a speech request is documented for JSON and MessagePack, with defaults and ranges', () => {
  const content = contract.paths['/v1/tts']?.post?.requestBody?.content;
  assert.deepEqual(Object.keys(content ?? {}), ['application/json', 'application/msgpack']);
  const { TtsRequest } = contract.components.schemas;
  assert.deepEqual(TtsRequest?.required, ['text']);
  const accepts = (body: object) => validate(body, TtsRequest ?? {}, contract).length === 0;
  assert.ok(accepts({ text: 'hi' }));
  assert.ok(accepts({ text: 'hi', format: null, prosody: null, seed: 1, reference_id: ['a'] }));
  assert.ok(!accepts({ format: 'mp3' }));
  assert.ok(!accepts({ text: 'hi', format: 'ogg' }));
  assert.ok(!accepts({ text: 'hi', prosody: { speed: 3 } }));
  assert.equal(TtsRequest?.properties?.chunk_length?.default, 300);
});

test('every error code of a speech request is documented', () => {
  const described = JSON.stringify(contract.paths['/v1/tts']?.post?.responses);
  const elsewhere = [
    'not_found',
    'model_not_found',
    'audio_too_costly',
    'voice_limit',
    'too_many_uploads',
    'reference_exists',
    'job_not_found',
    'dictionary_not_found',
    'dictionary_conflict',
    'dictionary_limit',
    'account_not_found',
    'key_not_found',
    'key_limit',
    'model_jobs_full',
    'not_yours',
    'booking_id_reused',
    'amount_not_possible',
    'too_many_connections',
    'method_not_allowed',
    'live_protocol',
    'live_silence',
    'upgrade_required',
    'invalid_parameter',
    'request_too_large',
    'invalid_audio',
    'audio_too_short',
    'audio_too_long',
    'unusable_recording',
    'cloning_unavailable',
    'invalid_login_link',
    'session_not_found',
    'slow_reader',
    'too_many_logins',
    'job_limit',
    'job_state',
    'invalid_book',
    'invalid_captions',
    'audio_not_transcribable',
  ];
  for (const code of Object.keys(ERRORS).filter((name) => !elsewhere.includes(name))) {
    assert.ok(described.includes(`\`${code}\``), code);
  }
});

test('the reference page and its assets are served, and load nothing from other servers', async () => {
  for (const [path, type] of [
    ['/docs', 'text/html'],
    ['/docs/reference.js', 'text/javascript'],
    ['/docs/reference.css', 'text/css'],
  ] as const) {
    const response = await fetch(server.url + path);
    assert.equal(response.status, 200);
    assert.ok(response.headers.get('content-type')?.startsWith(type));
    assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'self'/);
    assert.doesNotMatch(await response.text(), /https?:\/\//);
  }
  const root = await fetch(server.url, { redirect: 'manual' });
  assert.equal(root.headers.get('location'), '/docs');
});
