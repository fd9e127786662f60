import type { OpenApiCall } from './openapi-call.ts';
import { PICTURE, RECORDING } from './voice-forms.ts';

const json = { 'content-type': 'application/json' };
const noKey = { authorization: '' };
const once = { 'idempotency-key': 'once' };

const NEW_VOICE = {
  title: 'Ada',
  voices: [RECORDING.toString('base64')],
  cover_image: PICTURE.toString('base64'),
};
const changeModel = (
  method: 'POST' | 'PATCH' | 'DELETE',
  status: number,
  path: string,
  body?: object,
  more: Partial<OpenApiCall> & { readonly headers?: Record<string, string> } = {},
): OpenApiCall => ({
  operation: `${method} ${method === 'POST' ? '/model' : '/model/{id}'}`,
  status,
  path,
  ...more,
  init: {
    method,
    ...(body && { headers: { ...json, ...more.headers }, body: JSON.stringify(body) }),
    ...more.init,
  },
});
const tooLarge = { title: 'x'.repeat(100), description: 'x'.repeat(66 * 1024 * 1024) };
const modelFile = (
  file: string,
  status: number,
  path: string,
  more: Partial<OpenApiCall> = {},
): OpenApiCall => ({
  operation: `GET /model/{id}/${file}`,
  status,
  path,
  ...more,
});

/** Creates a voice. */
export const CREATE_VOICE = changeModel('POST', 201, '/model', NEW_VOICE);

/** Calls of all voice routes, one per documented status. `VOICE` is replaced by the id of a voice. */
export const VOICE_CALLS: readonly OpenApiCall[] = [
  CREATE_VOICE,
  changeModel('POST', 400, '/model', { ...NEW_VOICE, voices: ['aaaa'] }),
  changeModel('POST', 401, '/model', NEW_VOICE, { headers: noKey }),
  changeModel('POST', 403, '/model', NEW_VOICE, { hasNoScopes: true }),
  changeModel('POST', 404, '/model', { title: 'Both', mix: [{ id: 'nobody' }, { id: 'nobody else' }] }),
  changeModel('POST', 201, '/model', NEW_VOICE, { server: 'loading', headers: once }),
  changeModel('POST', 409, '/model', NEW_VOICE, { server: 'loading', headers: once }),
  changeModel('POST', 413, '/model', tooLarge),
  changeModel('POST', 415, '/model', NEW_VOICE, { headers: { 'content-type': 'text/plain' } }),
  changeModel('POST', 422, '/model', { title: 'Ada' }),
  changeModel('POST', 501, '/model', NEW_VOICE, { server: 'paid' }),
  changeModel('PATCH', 200, '/model/VOICE', { title: 'Eve' }),
  changeModel('PATCH', 400, '/model/VOICE', [1]),
  changeModel('PATCH', 401, '/model/VOICE', { title: 'Eve' }, { headers: noKey }),
  changeModel('PATCH', 403, '/model/af_heart', { title: 'Eve' }),
  changeModel('PATCH', 404, '/model/nobody', { title: 'Eve' }),
  changeModel('PATCH', 413, '/model/VOICE', tooLarge),
  changeModel('PATCH', 415, '/model/VOICE', { title: 'Eve' }, { headers: { 'content-type': 'text/plain' } }),
  changeModel('PATCH', 422, '/model/VOICE', { visibility: 'secret' }),
  changeModel('DELETE', 204, '/model/VOICE'),
  changeModel('DELETE', 401, '/model/VOICE', undefined, { init: { method: 'DELETE', headers: noKey } }),
  changeModel('DELETE', 403, '/model/af_heart'),
  changeModel('DELETE', 404, '/model/nobody'),
  modelFile('samples/{index}', 200, '/model/VOICE/samples/0'),
  modelFile('samples/{index}', 401, '/model/VOICE/samples/0', { init: { headers: noKey } }),
  modelFile('samples/{index}', 403, '/model/VOICE/samples/0', { hasNoScopes: true }),
  modelFile('samples/{index}', 404, '/model/VOICE/samples/9'),
  modelFile('samples/{index}', 422, '/model/VOICE/samples/x'),
  modelFile('cover', 200, '/model/VOICE/cover'),
  modelFile('cover', 401, '/model/VOICE/cover', { init: { headers: noKey } }),
  modelFile('cover', 403, '/model/VOICE/cover', { hasNoScopes: true }),
  modelFile('cover', 404, '/model/af_heart/cover'),
];

const design = (
  status: number,
  body: object,
  { headers, ...more }: Partial<OpenApiCall> & { readonly headers?: Record<string, string> } = {},
): OpenApiCall => ({
  operation: 'POST /v1/voice-design',
  status,
  path: '/v1/voice-design',
  ...more,
  init: { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) },
});
const A_MAN = { instruction: 'A deep old man', n: 1 };
const designedOnce = { 'idempotency-key': 'once-designed' };

/** Voices from descriptions. */
export const DESIGN_CALLS: readonly OpenApiCall[] = [
  design(200, A_MAN),
  design(400, { instruction: '' }),
  design(401, A_MAN, { headers: noKey }),
  design(402, A_MAN, { server: 'paid' }),
  design(403, A_MAN, { hasNoScopes: true }),
  design(200, A_MAN, { server: 'loading', headers: designedOnce }),
  design(409, A_MAN, { server: 'loading', headers: designedOnce }),
  design(422, { ...A_MAN, n: 2 }, { server: 'loading', headers: designedOnce }),
  design(413, { instruction: 'x'.repeat(66 * 1024 * 1024) }),
  design(415, A_MAN, { headers: { 'content-type': 'application/msgpack' } }),
];

const reference = (
  path: 'add' | 'update' | 'delete',
  status: number,
  body: object,
  more: Partial<OpenApiCall> & { readonly headers?: Record<string, string> } = {},
): OpenApiCall => {
  const method = path === 'delete' ? 'DELETE' : 'POST';
  const headers = { ...json, ...more.headers };
  return {
    operation: `${method} /v1/references/${path}`,
    status,
    path: `/v1/references/${path}?format=json`,
    ...more,
    init: { method, headers, body: JSON.stringify(body) },
  };
};

const NEW_REFERENCE = { id: 'ada', audio: RECORDING.toString('base64'), text: 'Hello.' };
const RENAMED = { old_reference_id: 'ada', new_reference_id: 'ada 2' };
const GONE = { reference_id: 'ada 2' };
const bad = { headers: { 'content-type': 'text/plain' } };
const huge = { reference_id: 'x'.repeat(66 * 1024 * 1024) };

/** Calls of the reference routes, in an order in which each call finds the voice it needs. */
export const REFERENCE_CALLS: readonly OpenApiCall[] = [
  { operation: 'GET /v1/references/list', status: 200, path: '/v1/references/list' },
  { operation: 'GET /v1/references/list', status: 200, path: '/v1/references/list?format=json' },
  {
    operation: 'GET /v1/references/list',
    status: 401,
    path: '/v1/references/list?format=json',
    init: { headers: noKey },
  },
  {
    operation: 'GET /v1/references/list',
    status: 403,
    path: '/v1/references/list?format=json',
    hasNoScopes: true,
  },
  reference('add', 200, NEW_REFERENCE),
  reference('add', 400, { ...NEW_REFERENCE, id: 'a/b' }),
  reference('add', 401, NEW_REFERENCE, { headers: noKey }),
  reference('add', 403, NEW_REFERENCE, { hasNoScopes: true }),
  reference('add', 409, NEW_REFERENCE),
  reference('add', 413, huge),
  reference('add', 415, NEW_REFERENCE, bad),
  reference('update', 200, RENAMED),
  reference('update', 400, { old_reference_id: 'ada' }),
  reference('update', 401, RENAMED, { headers: noKey }),
  reference('update', 403, { ...RENAMED, old_reference_id: 'af_heart' }),
  reference('update', 404, RENAMED),
  reference('update', 409, { old_reference_id: 'ada 2', new_reference_id: 'af_heart' }),
  reference('update', 413, huge),
  reference('update', 415, RENAMED, bad),
  reference('delete', 200, GONE),
  reference('delete', 400, {}),
  reference('delete', 401, GONE, { headers: noKey }),
  reference('delete', 403, { reference_id: 'af_heart' }),
  reference('delete', 404, GONE),
  reference('delete', 413, huge),
  reference('delete', 415, GONE, bad),
];
