import type { OpenApiCall } from './openapi-call.ts';

const json = { 'content-type': 'application/json' };
const free = { ...json, model: 's2.1-pro-free' };
const CUE = '1\n00:00:00,500 --> 00:00:02,000\nHello there.\n';

/** A route that creates audio from a body: its success, and the errors of every such route. */
function creationCalls(path: string, status: number, body: object, invalid: object): OpenApiCall[] {
  const operation = `POST ${path}`;
  const call = (answer: number, content: unknown, headers: Record<string, string> = json): OpenApiCall => ({
    operation,
    status: answer,
    path,
    init: { method: 'POST', headers, body: JSON.stringify(content) },
  });
  const once = { ...free, 'idempotency-key': `once${path.replaceAll('/', '-')}` };
  return [
    call(status, body),
    call(400, invalid),
    call(401, body, { ...json, authorization: '' }),
    { ...call(402, body), server: 'paid' },
    { ...call(403, body), hasNoScopes: true },
    { ...call(status, body, once), server: 'paid' },
    { ...call(409, body, once), server: 'paid' },
    { ...call(422, { ...body, seed: 5 }, once), server: 'paid' },
    call(415, body, { 'content-type': 'text/plain' }),
  ];
}

/** BOOK is a paused job, SPOKEN a finished one. */
function jobCalls(operation: string, id: 'BOOK' | 'SPOKEN', status: number, conflict?: 'BOOK' | 'SPOKEN') {
  const [method = '', route = ''] = operation.split(' ');
  const call = (answer: number, name: string, more: Partial<OpenApiCall> = {}): OpenApiCall => ({
    operation,
    status: answer,
    path: route.replace('{id}', name),
    init: { method },
    ...more,
  });
  return [
    call(status, id),
    call(401, 'none', { init: { method, headers: { authorization: '' } } }),
    call(403, 'none', { hasNoScopes: true }),
    call(404, 'none'),
    ...(conflict === undefined ? [] : [call(409, conflict)]),
  ];
}

const JOBS = '/v1/tts/jobs';
const ONE = `${JOBS}/{id}`;
const LIST = `GET ${JOBS}`;

/** Calls of the audiobook and dubbing routes, one per documented status. */
export const BOOK_CALLS: readonly OpenApiCall[] = [
  ...creationCalls(JOBS, 202, { text: 'A short book.' }, {}),
  ...creationCalls('/v1/dub', 200, { captions: CUE }, { captions: 'none' }),
  { operation: LIST, status: 200, path: JOBS },
  { operation: LIST, status: 401, path: JOBS, init: { headers: { authorization: '' } } },
  { operation: LIST, status: 403, path: JOBS, hasNoScopes: true },
  ...jobCalls(`GET ${ONE}`, 'SPOKEN', 200),
  ...jobCalls(`DELETE ${ONE}`, 'BOOK', 204),
  ...jobCalls(`POST ${ONE}/pause`, 'BOOK', 200, 'SPOKEN'),
  ...jobCalls(`POST ${ONE}/resume`, 'BOOK', 200, 'SPOKEN'),
  ...jobCalls(`GET ${ONE}/audio`, 'SPOKEN', 200, 'BOOK'),
  ...jobCalls(`GET ${ONE}/captions`, 'SPOKEN', 200, 'BOOK'),
  { operation: `GET ${ONE}/captions`, status: 200, path: `${JOBS}/SPOKEN/captions?format=srt` },
  { operation: `GET ${ONE}/captions`, status: 400, path: `${JOBS}/none/captions?format=docx` },
];
