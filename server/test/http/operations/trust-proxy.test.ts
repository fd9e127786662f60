import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestServer } from '../../support/servers/http-server.ts';

/** The address that the audit log has for a request with this header. */
async function auditedAddress(trustProxy: string[], forwardedFor: string): Promise<string | undefined> {
  const server = await startTestServer({ config: { trustProxy } });
  try {
    const response = await server.call('/v1/admin/accounts', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': forwardedFor },
      body: '{"name":"proxied"}',
    });
    assert.equal(response.status, 201);
    const { id } = (await response.json()) as { id: string };
    const range = { accountId: id, fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };
    for await (const { actor } of server.accounts.audit.read(range)) return actor.source;
    return undefined;
  } finally {
    await server.close();
  }
}

test('the address in X-Forwarded-For is used only from a trusted proxy', async () => {
  assert.equal(await auditedAddress([], '192.0.2.7'), '127.0.0.1');
  assert.equal(await auditedAddress(['10.0.0.0/8'], '192.0.2.7'), '127.0.0.1');
  assert.equal(await auditedAddress(['loopback'], '192.0.2.7'), '192.0.2.7');
});

test('an address that the client made up itself is not used', async () => {
  assert.equal(await auditedAddress(['127.0.0.1'], '203.0.113.1, 192.0.2.7'), '192.0.2.7');
  assert.equal(await auditedAddress(['127.0.0.1', '10.0.0.0/8'], '192.0.2.7, 10.0.0.3'), '192.0.2.7');
});
