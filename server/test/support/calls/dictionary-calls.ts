import type { OpenApiCall } from './openapi-call.ts';

const json = { 'content-type': 'application/json' };
const noKey = { authorization: '' };

export const DICTIONARIES = '/v1/pronunciation-dictionaries';
const ONE = `${DICTIONARIES}/{dictionary_id}`;
export const RULES = [{ key: 'nginx', value: 'EH1 N JH AH0 N' }];

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

/** Calls of the operations of pronunciation dictionaries. */
export const DICTIONARY_CALLS: readonly OpenApiCall[] = [
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
];
