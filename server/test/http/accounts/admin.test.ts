import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { until } from '../../support/servers/real-server.ts';

let server: TestServer;
before(async () => {
  server = await startTestServer({ config: { billing: 'prepaid' } });
});
after(() => server.close());

type Json = Record<string, unknown>;

async function ask(method: string, path: string, body?: unknown): Promise<Json> {
  const response = await server.call(path, {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  assert.ok(response.ok, `${method} ${path}: ${response.status}`);
  return (await response.json()) as Json;
}

/** A new account with credit and a key. */
async function makeAccount(name: string, usd: string): Promise<{ id: string; key: string; keyId: string }> {
  const { id } = (await ask('POST', '/v1/admin/accounts', { name, members: ['Ada'] })) as { id: string };
  await ask('POST', `/v1/admin/accounts/${id}/credit`, { kind: 'top_up', usd, id: name, memo: 'invoice 7' });
  const key = (await ask('POST', '/v1/admin/keys', { account_id: id, name: 'phone' })) as Json;
  return { id, key: String(key.key), keyId: String(key.id) };
}

async function speakAs(key: string, text: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await server.speak(
    { text, format: 'pcm' },
    { authorization: `Bearer ${key}`, ...headers },
  );
  await response.arrayBuffer();
  return response.status;
}

test('an operator creates and tops up an account, whose key works until the credit is used up', async () => {
  const { id, key } = await makeAccount('short', '0.00015');
  assert.equal(await speakAs(key, 'ten bytes!'), 200);
  assert.equal(await speakAs(key, 'x'), 402);
  await until('it is settled', async () => {
    const { wallet } = (await ask('GET', `/v1/admin/accounts/${id}`)) as { wallet: Json };
    return wallet.spent === '0.00015';
  });
});

test('a key revoked over the API fails on the next request', async () => {
  const { key, keyId } = await makeAccount('revoked', '1');
  assert.equal(await speakAs(key, 'hi'), 200);
  await ask('DELETE', `/v1/admin/keys/${keyId}`);
  assert.equal(await speakAs(key, 'hi'), 401);
});

test('a rotated key remains valid next to the new key until the grace period ends', async () => {
  const { key, keyId } = await makeAccount('rotated', '1');
  const successor = String((await ask('POST', `/v1/admin/keys/${keyId}/rotate`, { grace_seconds: 60 })).key);
  assert.equal(await speakAs(key, 'hi'), 200);
  assert.equal(await speakAs(successor, 'hi'), 200);
  const last = String((await ask('POST', `/v1/admin/keys/${keyId}/rotate`, { grace_seconds: 0 })).key);
  assert.equal(await speakAs(key, 'hi'), 401);
  assert.equal(await speakAs(last, 'hi'), 200);
});

test('usage and statement are complete and consistent', async () => {
  const { id, key } = await makeAccount('billed', '2');
  await speakAs(key, 'hello');
  await speakAs(key, 'hello', { model: 's1' });
  await speakAs(key, 'hello', { model: 's2.1-pro-free' });
  const month = new Date().toISOString().slice(0, 7);
  const path = `/v1/admin/usage?account_id=${id}&by=model,voice`;
  await until('all is counted', async () => ((await ask('GET', path)).items as unknown[]).length === 3);
  const usage = (await ask('GET', path)) as { cost: string; items: Json[] };
  assert.equal(usage.cost, '0.00015');
  assert.deepEqual(
    usage.items.map(({ model, units, cost }) => [model, units, cost]),
    [
      ['s1', 5, '0.000075'],
      ['s2.1-pro', 5, '0.000075'],
      ['s2.1-pro-free', 5, '0'],
    ],
  );
  const csv = await (
    await server.call(`/v1/admin/accounts/${id}/statement?month=${month}&format=csv`)
  ).text();
  const lines = csv.trim().split('\r\n');
  assert.equal(lines[0], 'date,kind,details,usd');
  assert.ok(lines.some((line) => /top_up,invoice 7,2$/.test(line)));
  const amounts = lines.slice(2, -1).map((line) => Number(line.split(',').at(-1)));
  const sum = amounts.reduce((all, amount) => all + Math.round(amount * 1e9), 0);
  assert.equal(sum, Math.round(Number(lines.at(-1)?.split(',').at(-1)) * 1e9));
  const own = { headers: { authorization: `Bearer ${key}` } };
  const page = await (await fetch(`${server.url}/v1/statement?month=${month}`, own)).text();
  assert.match(page, /<h1>Statement .*: billed<\/h1>/);
  assert.match(
    await (await fetch(`${server.url}/v1/usage?format=csv`, own)).text(),
    /^day,service,model,requests/,
  );
});

test('deleting an account removes keys, names and stored audio, but not its transfers', async () => {
  const { id, key } = await makeAccount('gone', '1');
  assert.equal(await speakAs(key, 'secret words', { 'idempotency-key': 'keep' }), 200);
  const body = await ask('DELETE', `/v1/admin/accounts/${id}`);
  assert.deepEqual([body.name, body.members], ['Deleted account', []]);
  assert.ok(body.deleted_at);
  assert.equal(await speakAs(key, 'hi'), 401);
  const { items } = (await ask('GET', `/v1/admin/keys?account_id=${id}`)) as { items: Json[] };
  assert.ok(items.every(({ name, revoked_at }) => name === '' && revoked_at !== null));
  assert.equal((await ask('GET', '/v1/admin/ledger')).is_balanced, true);
  assert.equal((body.wallet as Json).topped_up, '1');
  const credit = await server.call(`/v1/admin/accounts/${id}/credit`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'top_up', usd: '1' }),
  });
  assert.equal(credit.status, 404);
});

test('the audit log has actor, event and source address, and contains no key', async () => {
  const { id, key, keyId } = await makeAccount('watched', '3');
  await ask('POST', `/v1/admin/accounts/${id}/credit`, {
    kind: 'top_up',
    usd: '3',
    id: 'watched',
    memo: 'again',
  });
  await ask('DELETE', `/v1/admin/keys/${keyId}`);
  const text = await (await server.call(`/v1/admin/audit?account_id=${id}`)).text();
  const events = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Json);
  assert.deepEqual(
    events.map(({ action }) => action),
    ['account.create', 'credit.top_up', 'key.create', 'key.revoke'],
  );
  const [first] = await server.keys.list('acc_first');
  assert.ok(events.every(({ actor, source }) => actor === first?.id && source === '127.0.0.1'));
  assert.ok(!text.includes(key));
  const csv = await (await server.call(`/v1/admin/audit?account_id=${id}&format=csv`)).text();
  assert.equal(csv.trim().split('\r\n').length, 5);
});
