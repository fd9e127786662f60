import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { childEnvironment } from './child-environment.ts';

test('settings and secrets are left out; variables of the system, Node and runtimes are passed on', () => {
  const kept = { PATH: '/bin', LD_LIBRARY_PATH: '/lib', NODE_OPTIONS: '--x', OMP_NUM_THREADS: '2' };
  const secrets = {
    MYNAH_DATABASE_URL: 'postgres://user:password@host/name',
    MYNAH_HUB_TOKEN: 'hf_secret',
    HF_TOKEN: 'hf_secret',
    PGPASSWORD: 'password',
    AWS_SECRET_ACCESS_KEY: 'secret',
    npm_config__authToken: 'secret',
  };
  assert.deepEqual(childEnvironment({ ...secrets, ...kept, TMPDIR: undefined }), kept);
});

test('Node starts in this environment', async () => {
  const env = childEnvironment(process.env);
  const { stdout } = await promisify(execFile)(process.execPath, ['-p', '"ready"'], { env });
  assert.equal(stdout.trim(), 'ready');
});
