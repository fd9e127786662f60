import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startWorker } from '../../../src/compose/cluster/worker.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { createLogger } from '../../../src/logger.ts';
import { skipWithout } from '../../support/servers/missing-program.ts';
import { startPrivateNats } from '../../support/servers/nats-server.ts';

test('a remote worker serves metrics of its processes on the private port', async (t) => {
  const nats = await startPrivateNats();
  if (nats === undefined) return skipWithout('nats', t, 'nats-server cannot be installed.');
  t.after(() => nats.stop());
  const folder = await mkdtemp(join(tmpdir(), 'mynah-worker-metrics-'));
  t.after(() => rm(folder, { recursive: true }));
  const env = {
    MYNAH_DATA: folder,
    MYNAH_NATS_URL: nats.url,
    // Loads nothing before its first job.
    MYNAH_WORKER_KINDS: 'cloning',
    MYNAH_METRICS_PORT: '0',
    MYNAH_LOG_LEVEL: 'silent',
  };
  const { config } = loadConfig(env, []);
  const worker = await startWorker(config, { logger: createLogger(config), env });
  t.after(() => worker.close(0));

  const response = await fetch(`http://127.0.0.1:${worker.metricsPort}/metrics`);
  assert.equal(response.status, 200);
  const text = await response.text();
  assert.match(text, /^mynah_ready 1$/m);
  assert.match(text, /^mynah_workers\{kind="cloning",state="ready"\} \d+$/m);
  assert.match(text, /^mynah_worker_restarts_total\{kind="cloning"\} 0$/m);
  assert.match(text, /^process_resident_memory_bytes \d+$/m);
  assert.ok(!/^mynah_workers\{kind="speech"/m.test(text), 'a kind that it does not run');
});
