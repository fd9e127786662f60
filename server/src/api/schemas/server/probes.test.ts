import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HealthReport } from './health.ts';
import { toReadiness } from './probes.ts';

const READY: HealthReport = {
  status: 'ok',
  live: true,
  ready: true,
  version: '0.0.0',
  database: 'ok',
  models: [{ id: 'kokoro', state: 'ready' }],
  workers: [{ id: '0', state: 'ready' }],
};

test('a ready server passes every check', () => {
  assert.deepEqual(toReadiness(READY).checks, { database: 'ok', workers: 'ok', models: 'ok' });
});

test('each part that is down fails its own check', () => {
  const checksOf = (changes: Partial<HealthReport>) =>
    toReadiness({ ...READY, ready: false, ...changes }).checks;
  assert.equal(checksOf({ database: 'unavailable' }).database, 'failed');
  assert.equal(checksOf({ models: [{ id: 'kokoro', state: 'failed' }] }).models, 'failed');
  assert.equal(checksOf({ models: [{ id: 'kokoro', state: 'loading' }] }).models, 'loading');
  assert.equal(checksOf({ workers: [] }).workers, 'loading');
  assert.equal(checksOf({ workers: [{ id: 'transcription-0', state: 'ready' }] }).workers, 'loading');
});
