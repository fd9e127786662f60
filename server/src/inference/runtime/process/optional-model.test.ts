import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ModelStoreError } from '../../models/files/model-store-error.ts';
import { OptionalModel } from './optional-model.ts';

const SIGNAL = new AbortController().signal;
const HOUR_MS = 3_600_000;

/** A store whose download does `ensure`, and what was asked of it. */
function optionalModel(ensure: () => Promise<void>, { waitMs = 60_000 } = {}) {
  const failures: string[] = [];
  const state = { isInstalled: false, downloads: 0, nowMs: 0 };
  const installed = { id: 'm', folder: '', file: () => '' };
  const model = new OptionalModel('m', {
    store: {
      find: async () => (state.isInstalled ? installed : undefined),
      ensure: async () => {
        state.downloads++;
        await ensure();
        state.isInstalled = true;
        return installed;
      },
    },
    onProgress: () => {},
    onFailure: (message) => failures.push(message),
    waitMs,
    now: () => state.nowMs,
  });
  return { model, state, failures };
}

test('concurrent calls share one download, and an installed model is not downloaded', async () => {
  const { model, state } = optionalModel(async () => {});
  await Promise.all([model.prepare(SIGNAL), model.prepare(SIGNAL)]);
  await model.prepare(SIGNAL);
  assert.equal(state.downloads, 1);
});

test('a download that was started is shared by a call that waits for it', async () => {
  let finish = () => {};
  const { model, state } = optionalModel(() => new Promise((resolve) => (finish = resolve)));
  model.start();
  const waiting = model.prepare(SIGNAL);
  await new Promise(setImmediate);
  assert.deepEqual([state.downloads, state.isInstalled], [1, false]);
  finish();
  await waiting;
  assert.deepEqual([state.downloads, state.isInstalled], [1, true]);
});

test('a failure is reported, not thrown, and the next download is tried an hour later', async () => {
  const { model, state, failures } = optionalModel(async () => {
    throw new ModelStoreError('source_unreachable', 'It is away.');
  });
  await model.prepare(SIGNAL);
  state.nowMs = HOUR_MS - 1;
  await model.prepare(SIGNAL);
  assert.deepEqual([state.downloads, failures], [1, ['It is away.']]);
  state.nowMs = HOUR_MS;
  await model.prepare(SIGNAL);
  assert.equal(state.downloads, 2);
});

test('a call does not wait for a slow download longer than the limit, and the download goes on', async () => {
  let finish = () => {};
  const { model, state, failures } = optionalModel(() => new Promise((resolve) => (finish = resolve)), {
    waitMs: 10,
  });
  await model.prepare(SIGNAL);
  assert.deepEqual([state.downloads, failures.length, state.isInstalled], [1, 1, false]);
  finish();
  await model.prepare(SIGNAL);
  assert.deepEqual([state.downloads, failures.length, state.isInstalled], [1, 1, true]);
});

test('an aborted call ends while the download goes on', async () => {
  let finish = () => {};
  const { model, state } = optionalModel(() => new Promise((resolve) => (finish = resolve)));
  const controller = new AbortController();
  const preparing = model.prepare(controller.signal);
  await Promise.resolve();
  controller.abort(new Error('gone'));
  await assert.rejects(preparing, /gone/);
  await assert.rejects(model.prepare(controller.signal), /gone/);
  const next = model.prepare(SIGNAL);
  finish();
  await next;
  assert.equal(state.downloads, 1);
});
