import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InstalledModel } from '../../inference/models/catalogue/model.ts';
import type { EnsureOptions, ModelStatus, ModelStore } from '../../inference/models/store/model-store.ts';
import { ModelJobs } from './model-jobs.ts';

const model = {
  id: 'm',
  title: 'M',
  task: 'tts',
  languages: ['en'],
  licence: 'MIT',
  credit: '',
  isDefault: true,
  files: [],
} as const;

/** A store with two models. A download ends when the test lets it. */
function startJobs() {
  const calls: string[] = [];
  const ends: { resolve(): void; reject(error: Error): void; options: EnsureOptions | undefined }[] = [];
  const status = (id: string): ModelStatus => ({
    model: { ...model, id },
    state: 'absent',
    folder: '',
    sizeBytes: 7,
    installedAt: undefined,
  });
  const store = {
    list: async () => [status('m'), status('n')],
    ensure: (id: string, options?: EnsureOptions) => {
      calls.push(`ensure ${id}`);
      return new Promise<InstalledModel>((resolve, reject) => {
        ends.push({ resolve: () => resolve({} as InstalledModel), reject, options });
        options?.signal?.addEventListener('abort', () => reject(new Error('cancelled')));
      });
    },
    verify: async (id: string) => {
      calls.push(`verify ${id}`);
      return [{ id, problems: ['damaged'], isIncomplete: true }];
    },
  } as unknown as ModelStore; // Only these methods are called.
  return { jobs: new ModelJobs(store), calls, ends };
}

const turn = () => new Promise(setImmediate);

test('a download shows its progress, and the next job waits for its end', async () => {
  const { jobs, calls, ends } = startJobs();
  await jobs.start('m', 'pull');
  await jobs.start('n', 'verify');
  await turn();
  assert.deepEqual(calls, ['ensure m']);
  ends[0]?.options?.onProgress?.({
    modelId: 'm',
    phase: 'fetching',
    source: 'hub',
    doneBytes: 3,
    totalBytes: 7,
  });
  const [first, second] = await jobs.list();
  assert.deepEqual(first?.job, {
    kind: 'pull',
    state: 'running',
    received_bytes: 3,
    total_bytes: 7,
    problems: [],
  });
  assert.equal(second?.job?.state, 'waiting');
  ends[0]?.resolve();
  await turn();
  const [, verified] = await jobs.list();
  assert.deepEqual(verified?.job, { kind: 'verify', state: 'finished', problems: ['damaged'] });
});

test('a second start of an open job starts nothing', async () => {
  const { jobs, calls, ends } = startJobs();
  await jobs.start('m', 'pull');
  await jobs.start('m', 'pull');
  await turn();
  ends[0]?.resolve();
  await turn();
  assert.deepEqual(calls, ['ensure m']);
});

test('closing aborts the download and ends the waiting jobs', async () => {
  const { jobs, calls } = startJobs();
  await jobs.start('m', 'pull');
  await jobs.start('n', 'pull');
  await turn();
  await jobs.close();
  assert.deepEqual(calls, ['ensure m']);
  assert.deepEqual(
    (await jobs.list()).map(({ job }) => job?.state),
    ['failed', 'failed'],
  );
});
