import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { unpack } from 'msgpackr';
import { ACCOUNT_CALLS } from '../../support/calls/account-calls.ts';
import { BOOK_CALLS } from '../../support/calls/book-calls.ts';
import { DICTIONARIES, DICTIONARY_CALLS, RULES } from '../../support/calls/dictionary-calls.ts';
import { validate } from '../../support/calls/json-schema.ts';
import type { OpenApiCall } from '../../support/calls/openapi-call.ts';
import { type OpenApiDocument, readOpenApiDocument } from '../../support/calls/openapi-document.ts';
import { SESSION_CALLS } from '../../support/calls/session-calls.ts';
import { SPEECH_CALLS } from '../../support/calls/speech-calls.ts';
import {
  FREE_PRO,
  SUBMIT_TRANSCRIPTION_JOB,
  TRANSCRIPTION_CALLS,
} from '../../support/calls/transcription-calls.ts';
import { CREATE_VOICE, DESIGN_CALLS, REFERENCE_CALLS, VOICE_CALLS } from '../../support/calls/voice-calls.ts';
import { HEALTHY, startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { until } from '../../support/servers/real-server.ts';
import { RandomVoiceMaker } from '../../support/workers/random-voice-maker.ts';
import { RecordingCloner } from '../../support/workers/recording-cloner.ts';

let server: TestServer;
/** Not ready yet, and stores no responses. */
let loading: TestServer;
/** Prepaid billing without credit; stores neither responses nor dictionaries. */
let paid: TestServer;
/** A key without scopes. */
let bareKey: string;
/** A key that several calls use. */
let sameKey: string;
let contract: OpenApiDocument;
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
  contract = await readOpenApiDocument(server.url);
});
after(async () => {
  await server.close();
  await loading.close();
  await paid.close();
});

const json = { 'content-type': 'application/json' };
const noKey = { authorization: '' };

const CALLS: readonly OpenApiCall[] = [
  ...SPEECH_CALLS,
  ...TRANSCRIPTION_CALLS,
  ...DICTIONARY_CALLS,
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
  const { path, init } = SUBMIT_TRANSCRIPTION_JOB;
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
