import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ERRORS } from '../../../src/errors.ts';
import { type JsonSchema, validate } from '../../support/calls/json-schema.ts';
import { type OpenApiDocument, readOpenApiDocument } from '../../support/calls/openapi-document.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';

let server: TestServer;
let contract: OpenApiDocument;
before(async () => {
  server = await startTestServer();
  contract = await readOpenApiDocument(server.url);
});
after(() => server.close());

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
