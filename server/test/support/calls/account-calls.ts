import type { OpenApiCall } from './openapi-call.ts';

const json = { 'content-type': 'application/json' };
const noKey = { authorization: '' };

/** A call of an account route. With a body it is a JSON request. */
const call = (
  operation: string,
  status: number,
  path: string,
  body?: unknown,
  key?: string,
): OpenApiCall => ({
  operation,
  status,
  path,
  init: {
    method: operation.split(' ')[0]!,
    ...(body !== undefined && {
      headers: { ...json, ...(key && { 'idempotency-key': key }) },
      body: JSON.stringify(body),
    }),
  },
});
/** Calls without a key, and with a key that lacks the scope. */
const guarded = (operation: string, path: string): OpenApiCall[] => [
  { ...call(operation, 401, path), init: { method: operation.split(' ')[0]!, headers: noKey } },
  { ...call(operation, 403, path), hasNoScopes: true },
];
const account = '/v1/admin/accounts/acc_first';
const newKey = { account_id: 'acc_first', name: 'new' };

/** Calls of all account, usage and key routes, one per documented status. */
export const ACCOUNT_CALLS: readonly OpenApiCall[] = [
  ...guarded('GET /v1/usage', '/v1/usage'),
  call('GET /v1/usage', 200, '/v1/usage?by=day,key,model,voice'),
  call('GET /v1/usage', 200, '/v1/usage?format=csv'),
  call('GET /v1/usage', 400, '/v1/usage?by=account'),
  ...guarded('GET /v1/statement', '/v1/statement?month=2026-01'),
  call('GET /v1/statement', 200, '/v1/statement?month=2026-01'),
  call('GET /v1/statement', 400, '/v1/statement?month=2026-13'),
  ...guarded('GET /v1/admin/usage', '/v1/admin/usage'),
  call('GET /v1/admin/usage', 200, '/v1/admin/usage?by=account'),
  call('GET /v1/admin/usage', 400, '/v1/admin/usage?from=yesterday'),
  ...guarded('GET /v1/admin/accounts/{id}/statement', `${account}/statement?month=2026-01`),
  call('GET /v1/admin/accounts/{id}/statement', 200, `${account}/statement?month=2026-01&format=csv`),
  call('GET /v1/admin/accounts/{id}/statement', 400, `${account}/statement`),
  call('GET /v1/admin/accounts/{id}/statement', 404, '/v1/admin/accounts/no/statement?month=2026-01'),
  ...guarded('GET /v1/admin/accounts', '/v1/admin/accounts'),
  call('GET /v1/admin/accounts', 200, '/v1/admin/accounts'),
  ...guarded('POST /v1/admin/accounts', '/v1/admin/accounts'),
  call('POST /v1/admin/accounts', 201, '/v1/admin/accounts', { name: 'Ada' }, 'ada'),
  call('POST /v1/admin/accounts', 422, '/v1/admin/accounts', { name: 'Grace' }, 'ada'),
  { ...call('POST /v1/admin/accounts', 201, '/v1/admin/accounts', { name: 'Ada' }, 'ada'), server: 'paid' },
  { ...call('POST /v1/admin/accounts', 409, '/v1/admin/accounts', { name: 'Ada' }, 'ada'), server: 'paid' },
  call('POST /v1/admin/accounts', 400, '/v1/admin/accounts', { name: '' }),

  ...guarded('GET /v1/admin/accounts/{id}', account),
  call('GET /v1/admin/accounts/{id}', 200, account),
  call('GET /v1/admin/accounts/{id}', 404, '/v1/admin/accounts/no'),
  ...guarded('PATCH /v1/admin/accounts/{id}', account),
  call('PATCH /v1/admin/accounts/{id}', 200, account, { concurrency_max: null, members: ['Ada'] }),
  call('PATCH /v1/admin/accounts/{id}', 400, account, { colour: 'red' }),
  call('PATCH /v1/admin/accounts/{id}', 404, '/v1/admin/accounts/no', { name: 'No' }),
  ...guarded('DELETE /v1/admin/accounts/{id}', account),
  call('DELETE /v1/admin/accounts/{id}', 200, '/v1/admin/accounts/acc_spare'),
  call('DELETE /v1/admin/accounts/{id}', 404, '/v1/admin/accounts/no'),
  ...guarded('POST /v1/admin/accounts/{id}/credit', `${account}/credit`),
  call('POST /v1/admin/accounts/{id}/credit', 200, `${account}/credit`, {
    kind: 'top_up',
    usd: '2.5',
    id: 'a',
  }),
  call('POST /v1/admin/accounts/{id}/credit', 409, `${account}/credit`, { kind: 'top_up', usd: 3, id: 'a' }),
  call('POST /v1/admin/accounts/{id}/credit', 409, `${account}/credit`, { kind: 'refund', usd: '1' }),
  call('POST /v1/admin/accounts/{id}/credit', 400, `${account}/credit`, { kind: 'top_up', usd: '-1' }),
  call('POST /v1/admin/accounts/{id}/credit', 404, '/v1/admin/accounts/no/credit', {
    kind: 'top_up',
    usd: '1',
  }),
  ...guarded('GET /v1/admin/keys', '/v1/admin/keys'),
  call('GET /v1/admin/keys', 200, '/v1/admin/keys?account_id=acc_first'),
  ...guarded('POST /v1/admin/keys', '/v1/admin/keys'),
  call('POST /v1/admin/keys', 201, '/v1/admin/keys', newKey, 'key'),
  call('POST /v1/admin/keys', 409, '/v1/admin/keys', newKey, 'key'),
  call('POST /v1/admin/keys', 422, '/v1/admin/keys', { ...newKey, name: 'other' }, 'key'),
  call('POST /v1/admin/keys', 400, '/v1/admin/keys', { ...newKey, scopes: ['everything'] }),
  call('POST /v1/admin/keys', 404, '/v1/admin/keys', { ...newKey, account_id: 'no' }),
  ...guarded('PATCH /v1/admin/keys/{id}', '/v1/admin/keys/KEY'),
  call('PATCH /v1/admin/keys/{id}', 200, '/v1/admin/keys/KEY', { spend_cap: '1.5', requests_per_minute: 60 }),
  call('PATCH /v1/admin/keys/{id}', 400, '/v1/admin/keys/KEY', { spend_cap: 'much' }),
  call('PATCH /v1/admin/keys/{id}', 404, '/v1/admin/keys/no', { name: 'No' }),
  ...guarded('POST /v1/admin/keys/{id}/rotate', '/v1/admin/keys/KEY/rotate'),
  call('POST /v1/admin/keys/{id}/rotate', 201, '/v1/admin/keys/KEY/rotate', { grace_seconds: 60 }),
  call('POST /v1/admin/keys/{id}/rotate', 201, '/v1/admin/keys/SAME/rotate', {}, 'turn'),
  call('POST /v1/admin/keys/{id}/rotate', 409, '/v1/admin/keys/SAME/rotate', {}, 'turn'),
  call('POST /v1/admin/keys/{id}/rotate', 422, '/v1/admin/keys/SAME/rotate', { grace_seconds: 1 }, 'turn'),
  call('POST /v1/admin/keys/{id}/rotate', 400, '/v1/admin/keys/KEY/rotate', { grace_seconds: -1 }),
  call('POST /v1/admin/keys/{id}/rotate', 404, '/v1/admin/keys/no/rotate', {}),
  ...guarded('DELETE /v1/admin/keys/{id}', '/v1/admin/keys/KEY'),
  call('DELETE /v1/admin/keys/{id}', 200, '/v1/admin/keys/KEY'),
  call('DELETE /v1/admin/keys/{id}', 404, '/v1/admin/keys/no'),
  ...guarded('GET /v1/keys', '/v1/keys'),
  call('GET /v1/keys', 200, '/v1/keys'),
  ...guarded('POST /v1/keys', '/v1/keys'),
  call('POST /v1/keys', 201, '/v1/keys', { name: 'own' }, 'own-key'),
  call('POST /v1/keys', 409, '/v1/keys', { name: 'own' }, 'own-key'),
  call('POST /v1/keys', 422, '/v1/keys', { name: 'other' }, 'own-key'),
  call('POST /v1/keys', 400, '/v1/keys', { name: '' }),
  ...guarded('POST /v1/keys/{id}/rotate', '/v1/keys/KEY/rotate'),
  call('POST /v1/keys/{id}/rotate', 201, '/v1/keys/SAME/rotate', {}, 'own-turn'),
  call('POST /v1/keys/{id}/rotate', 409, '/v1/keys/SAME/rotate', {}, 'own-turn'),
  call('POST /v1/keys/{id}/rotate', 422, '/v1/keys/SAME/rotate', { grace_seconds: 1 }, 'own-turn'),
  call('POST /v1/keys/{id}/rotate', 400, '/v1/keys/KEY/rotate', { grace_seconds: -1 }),
  call('POST /v1/keys/{id}/rotate', 404, '/v1/keys/no/rotate', {}),
  ...guarded('DELETE /v1/keys/{id}', '/v1/keys/KEY'),
  call('DELETE /v1/keys/{id}', 200, '/v1/keys/KEY'),
  call('DELETE /v1/keys/{id}', 404, '/v1/keys/no'),
  ...guarded('GET /v1/admin/status', '/v1/admin/status'),
  call('GET /v1/admin/status', 200, '/v1/admin/status'),
  ...guarded('GET /v1/admin/models', '/v1/admin/models'),
  call('GET /v1/admin/models', 200, '/v1/admin/models'),
  ...(['pull', 'verify'] as const).flatMap((action) => {
    const operation = `POST /v1/admin/models/{id}/${action}`;
    return [
      ...guarded(operation, `/v1/admin/models/silero-vad/${action}`),
      call(operation, 202, `/v1/admin/models/silero-vad/${action}`),
      call(operation, 404, `/v1/admin/models/no/${action}`),
    ];
  }),
  ...guarded('GET /v1/admin/ledger', '/v1/admin/ledger'),
  call('GET /v1/admin/ledger', 200, '/v1/admin/ledger'),
  ...guarded('GET /v1/admin/audit', '/v1/admin/audit'),
  call('GET /v1/admin/audit', 200, '/v1/admin/audit'),
  call('GET /v1/admin/audit', 200, '/v1/admin/audit?format=csv'),
  call('GET /v1/admin/audit', 400, '/v1/admin/audit?format=docx'),
  ...(
    [
      ['POST /v1/admin/accounts', '/v1/admin/accounts'],
      ['PATCH /v1/admin/accounts/{id}', account],
      ['POST /v1/admin/accounts/{id}/credit', `${account}/credit`],
      ['POST /v1/admin/keys', '/v1/admin/keys'],
      ['PATCH /v1/admin/keys/{id}', '/v1/admin/keys/KEY'],
      ['POST /v1/admin/keys/{id}/rotate', '/v1/admin/keys/KEY/rotate'],
      ['POST /v1/keys', '/v1/keys'],
      ['POST /v1/keys/{id}/rotate', '/v1/keys/KEY/rotate'],
    ] as const
  ).map(
    ([operation, path]): OpenApiCall => ({
      operation,
      status: 415,
      path,
      init: { method: operation.split(' ')[0]!, headers: { 'content-type': 'text/plain' }, body: 'hi' },
    }),
  ),
];
