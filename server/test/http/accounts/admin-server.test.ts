import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ManagedModel } from '../../../src/api/schemas/server/managed-model.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';

const MODEL = 'kokoro-82m-q8';
const DEADLINE_MS = 60_000;

describe('administration of the server', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  async function listModels(): Promise<readonly ManagedModel[]> {
    const response = await server.call('/v1/admin/models');
    assert.equal(response.status, 200);
    return ((await response.json()) as { items: ManagedModel[] }).items;
  }
  async function jobEnd(id: string): Promise<ManagedModel> {
    for (const until = Date.now() + DEADLINE_MS; Date.now() < until; await sleep(20)) {
      const model = (await listModels()).find((each) => each.id === id);
      if (model?.job?.state === 'finished' || model?.job?.state === 'failed') return model;
    }
    assert.fail(`The job of ${id} does not end.`);
  }

  test('models are listed, and a download without a source fails with a reason', async () => {
    const model = (await listModels()).find(({ id }) => id === MODEL);
    assert.equal(model?.state, 'absent');
    assert.equal(model.job, null);
    const response = await server.call(`/v1/admin/models/${MODEL}/pull`, { method: 'POST' });
    assert.equal(response.status, 202);
    const { job } = await jobEnd(MODEL);
    assert.equal(job?.kind, 'pull');
    assert.equal(job.state, 'failed');
    assert.ok(job.message);
    const audit = await (await server.call('/v1/admin/audit')).text();
    assert.ok(audit.includes('"model.pull"'));
  });

  test('an unknown model is refused', async () => {
    for (const action of ['pull', 'verify']) {
      const response = await server.call(`/v1/admin/models/nothing/${action}`, { method: 'POST' });
      assert.equal(response.status, 404);
      assert.equal(response.headers.get('x-fish-error-code'), 'model_not_found');
    }
  });

  test('the status has load, queues and nodes', async () => {
    const response = await server.call('/v1/admin/status');
    const status = (await response.json()) as Record<string, unknown>;
    assert.deepEqual(Object.keys(status), ['load', 'queues', 'gateways', 'workers']);
  });

  test('other keys are refused', async () => {
    const authorization = `Bearer ${await server.createKeyFor('acc_plain')}`;
    for (const path of ['/v1/admin/status', '/v1/admin/models']) {
      const response = await fetch(server.url + path, { headers: { authorization } });
      assert.equal(response.status, 403);
    }
  });
});
