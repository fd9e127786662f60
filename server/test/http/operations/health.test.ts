import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HealthReport } from '../../../src/api/schemas/server/health.ts';
import { HEALTHY, startTestServer } from '../../support/servers/http-server.ts';
import { until } from '../../support/servers/real-server.ts';

const LOADING: HealthReport = {
  ...HEALTHY,
  status: 'loading',
  ready: false,
  models: [{ id: 'kokoro', state: 'loading', received_bytes: 5, total_bytes: 10 }],
  workers: [{ id: 'worker-1', state: 'starting' }],
};

test('health needs no key, with GET and POST, with and without a body', async () => {
  const server = await startTestServer();
  try {
    const calls = [
      { method: 'GET' },
      { method: 'POST' },
      { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } },
      { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } },
    ];
    for (const init of calls) {
      const response = await fetch(`${server.url}/v1/health`, init);
      assert.equal(response.status, 200);
      assert.deepEqual(await response.json(), HEALTHY);
    }
    assert.equal((await fetch(`${server.url}/v1/health/ready`)).status, 200);
  } finally {
    await server.close();
  }
});

test('while models load the server is live, not ready, and reports the progress', async () => {
  const server = await startTestServer({ health: () => LOADING });
  try {
    const live = await fetch(`${server.url}/v1/health`);
    assert.equal(live.status, 200);
    assert.deepEqual(await live.json(), LOADING);
    const ready = await fetch(`${server.url}/v1/health/ready`);
    assert.equal(ready.status, 503);
    assert.deepEqual(await ready.json(), LOADING);
  } finally {
    await server.close();
  }
});

test('/healthz responds 200 while models load, with any key; /readyz responds 503 with the checks and the progress', async () => {
  const server = await startTestServer({ health: () => LOADING });
  try {
    const live = await fetch(`${server.url}/healthz`, { headers: { authorization: 'Bearer unknown' } });
    assert.equal(live.status, 200);
    assert.deepEqual(await live.json(), { status: 'ok' });
    const ready = await fetch(`${server.url}/readyz`);
    assert.equal(ready.status, 503);
    assert.deepEqual(await ready.json(), {
      ready: false,
      checks: { database: 'ok', workers: 'loading', models: 'loading' },
      models: LOADING.models,
    });
  } finally {
    await server.close();
  }
});

test('folders and addresses in the reason of a failed model are shown to admin keys only', async () => {
  const message = '/srv/models is not writable; https://mirror.internal/hub is not reachable.';
  const failed: HealthReport = { ...LOADING, models: [{ id: 'kokoro', state: 'failed', message }] };
  const server = await startTestServer({ health: () => failed });
  try {
    const user = { headers: { authorization: `Bearer ${await server.createKeyFor('acc_health')}` } };
    for (const init of [{}, user]) {
      for (const path of ['/v1/health', '/v1/health/ready', '/readyz', '/healthz']) {
        const content = await (await fetch(server.url + path, init)).text();
        assert.doesNotMatch(content, /srv|mirror/, path);
        if (path !== '/healthz') assert.match(content, /"state":"failed","message":"The model cannot/);
      }
    }
    assert.deepEqual(await (await server.call('/v1/health')).json(), failed);
  } finally {
    await server.close();
  }
});

test('probes are logged at level debug, other requests at level info', async () => {
  const lines: string[] = [];
  const server = await startTestServer({ log: { write: (line) => void lines.push(line) } });
  try {
    for (const path of ['/healthz', '/readyz', '/v1/health/ready', '/v1/health'])
      await (await fetch(server.url + path)).text();
    const levelOf = (route: string) =>
      lines
        .map((line) => JSON.parse(line) as { level: string; route?: string })
        .find((line) => line.route === route)?.level;
    await until('the requests are logged', () => levelOf('/v1/health') !== undefined);
    assert.equal(levelOf('/healthz'), 'debug');
    assert.equal(levelOf('/readyz'), 'debug');
    assert.equal(levelOf('/v1/health/ready'), 'debug');
    assert.equal(levelOf('/v1/health'), 'info');
  } finally {
    await server.close();
  }
});
