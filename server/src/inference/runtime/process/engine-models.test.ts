import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../../errors.ts';
import { ModelStoreError } from '../../models/files/model-store-error.ts';
import type { ModelStore } from '../../models/store/model-store.ts';
import { EngineModels } from './engine-models.ts';

const REASON = '/srv/models is not writable; https://mirror.internal/hub is not reachable.';

test('a request receives no folder and no address of a failed installation; the log and the operator do', async () => {
  const store: Pick<ModelStore, 'ensure'> = {
    ensure: () => Promise.reject(new ModelStoreError('not_writable', REASON)),
  };
  const failures: unknown[] = [];
  const models = new EngineModels({
    store: store as ModelStore,
    onProgress: () => {},
    onFailure: (id, error) => failures.push([id, (error as Error).message]),
    waitMs: 10_000,
  });
  await assert.rejects(models.prepare(['kokoro'], new AbortController().signal), (error) => {
    assert.ok(error instanceof ApiError);
    assert.equal(error.code, 'engine_unavailable');
    assert.doesNotMatch(error.message, /srv|mirror/);
    return true;
  });
  assert.deepEqual(failures, [['kokoro', REASON]]);
  assert.deepEqual(models.status(), [{ id: 'kokoro', state: 'failed', message: REASON }]);
});
