import type { Call } from './contract-call.ts';
import { PICTURE, RECORDING } from './voice-forms.ts';

const json = { 'content-type': 'application/json' };
const noKey = { authorization: '' };

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
  more: Partial<Call> & { readonly headers?: Record<string, string> } = {},
): Call => ({
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
const modelFile = (file: string, status: number, path: string, more: Partial<Call> = {}): Call => ({
  operation: `GET /model/{id}/${file}`,
  status,
  path,
  ...more,
});

/** Makes a voice. */
export const CREATE_VOICE = changeModel('POST', 201, '/model', NEW_VOICE);

/** Everything that can be done to voices, and how it is refused. `VOICE` stands for the id of one. */
export const VOICE_CALLS: readonly Call[] = [
  CREATE_VOICE,
  changeModel('POST', 400, '/model', { ...NEW_VOICE, voices: ['aaaa'] }),
  changeModel('POST', 401, '/model', NEW_VOICE, { headers: noKey }),
  changeModel('POST', 403, '/model', NEW_VOICE, { isBare: true }),
  changeModel('POST', 413, '/model', tooLarge),
  changeModel('POST', 415, '/model', NEW_VOICE, { headers: { 'content-type': 'text/plain' } }),
  changeModel('POST', 422, '/model', { title: 'Ada' }),
  changeModel('POST', 501, '/model', NEW_VOICE, { on: 'paid' }),
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
  modelFile('samples/{index}', 403, '/model/VOICE/samples/0', { isBare: true }),
  modelFile('samples/{index}', 404, '/model/VOICE/samples/9'),
  modelFile('samples/{index}', 422, '/model/VOICE/samples/x'),
  modelFile('cover', 200, '/model/VOICE/cover'),
  modelFile('cover', 401, '/model/VOICE/cover', { init: { headers: noKey } }),
  modelFile('cover', 403, '/model/VOICE/cover', { isBare: true }),
  modelFile('cover', 404, '/model/af_heart/cover'),
];
