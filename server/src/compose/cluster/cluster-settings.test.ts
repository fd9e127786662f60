import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from '../../config/config.ts';
import { StartupError } from '../startup-error.ts';
import { missingForGateway, requireCompleteCluster, requireNats } from './cluster-settings.ts';

const NATS = { MYNAH_NATS_URL: 'nats://localhost:4222' };
const DATABASE = { MYNAH_DATABASE_URL: 'postgres://localhost/mynah' };
const FILES = { MYNAH_FILES_URL: 's3://bucket?endpoint=http://localhost:9000' };
const config = (env: Record<string, string>) => loadConfig(env).config;

test('a gateway names every setting that is missing', () => {
  assert.deepEqual(missingForGateway(config({ ...NATS })), ['MYNAH_DATABASE_URL', 'MYNAH_FILES_URL']);
  assert.throws(() => requireCompleteCluster(config({ MYNAH_ROLE: 'gateway', ...NATS })), StartupError);
  assert.throws(
    () => requireCompleteCluster(config({ MYNAH_ROLE: 'gateway', ...DATABASE, ...FILES })),
    StartupError,
  );
  requireCompleteCluster(config({ MYNAH_ROLE: 'gateway', ...NATS, ...DATABASE, ...FILES }));
});

test('a single machine needs none of them, and refuses NATS, which it would not use', () => {
  requireCompleteCluster(config({}));
  requireCompleteCluster(config({ ...DATABASE }));
  assert.throws(() => requireCompleteCluster(config({ ...NATS })), StartupError);
});

test('a worker needs NATS only', () => {
  assert.equal(requireNats(config({ ...NATS })), 'nats://localhost:4222');
  assert.throws(() => requireNats(config({})), StartupError);
});

test('an invalid NATS address and an invalid worker id are refused', () => {
  assert.throws(() => config({ MYNAH_NATS_URL: 'http://localhost' }));
  assert.throws(() => config({ MYNAH_WORKER_ID: 'a.b' }));
});
