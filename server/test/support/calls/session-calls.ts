import type { OpenApiCall } from './openapi-call.ts';

const SESSION = '/v1/console/session';
const headers = { 'content-type': 'application/json' };
const noKey = { authorization: '' };
const foreign = { authorization: '', cookie: 'mynah-session=x', origin: 'http://evil.example' };

const login = (status: number, body: unknown, more: Partial<OpenApiCall> = {}): OpenApiCall => ({
  operation: `POST ${SESSION}`,
  status,
  path: SESSION,
  init: { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) },
  ...more,
});

/** The calls of the session routes: the same refusals on each, and what each does. */
export const SESSION_CALLS: readonly OpenApiCall[] = [
  login(201, { key: 'FIRST_KEY' }),
  login(400, '{'),
  login(400, { key: 1 }),
  login(401, { link: 'unknown' }),
  login(
    403,
    {},
    {
      init: { method: 'POST', headers: { ...headers, origin: 'http://evil.example' }, body: '{"key": "x"}' },
    },
  ),
  login(404, { key: 'x' }, { server: 'paid' }),
  login(415, {}, { init: { method: 'POST', headers: { 'content-type': 'image/png' }, body: 'x' } }),
  { operation: `GET ${SESSION}`, status: 200, path: SESSION },
  {
    operation: `DELETE ${SESSION}`,
    status: 204,
    path: SESSION,
    init: { method: 'DELETE' },
    hasSession: true,
  },
  { operation: `DELETE ${SESSION}`, status: 404, path: SESSION, init: { method: 'DELETE' } },
  { operation: `GET ${SESSION}s`, status: 200, path: `${SESSION}s` },
  {
    operation: `DELETE ${SESSION}s/{id}`,
    status: 204,
    path: `${SESSION}s/SESSION`,
    init: { method: 'DELETE' },
  },
  {
    operation: `DELETE ${SESSION}s/{id}`,
    status: 404,
    path: `${SESSION}s/unknown`,
    init: { method: 'DELETE' },
  },
  ...[`GET ${SESSION}`, `DELETE ${SESSION}`, `GET ${SESSION}s`, `DELETE ${SESSION}s/{id}`].flatMap(
    (operation): OpenApiCall[] => {
      const [method = '', url = ''] = operation.split(' ');
      const path = url.replace('{id}', 'unknown');
      return [
        { operation, status: 401, path, init: { method, headers: noKey } },
        { operation, status: 403, path, init: { method, headers: foreign } },
      ];
    },
  ),
];
