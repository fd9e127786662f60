import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { loadConfig } from '../config/config.ts';
import type { AsrTask } from '../domain/transcription/pipeline/asr-task.ts';
import { ModelStoreError } from '../inference/models/files/model-store-error.ts';
import type { ModelStore } from '../inference/models/store/model-store.ts';
import { createLogger } from '../logger.ts';
import { TranscriptionRuntime } from './transcription-runtime.ts';

const DOWNLOAD_MS = 100;

test('a job waits for a download of models as long as it is told, else as long as for a worker', async () => {
  const { config } = loadConfig({ MYNAH_ENGINE_WAIT_SECONDS: '0', MYNAH_LOG_LEVEL: 'silent' });
  const store = {
    ensure: async () => {
      await delay(DOWNLOAD_MS);
      throw new ModelStoreError('hash_mismatch', 'The download is damaged.');
    },
  } as unknown as ModelStore;
  const firstError = async (options: { modelsWaitMs?: number }) => {
    const runtime = new TranscriptionRuntime(config, { logger: createLogger(config), store, ...options });
    const task: AsrTask = { source: { kind: 'file', path: 'recording.wav' }, engines: [] };
    const { signal } = new AbortController();
    try {
      for await (const _event of runtime.workers.transcribe(task, { signal }));
    } catch (error) {
      return (error as Error).cause;
    } finally {
      await runtime.close();
    }
  };
  assert.equal(await firstError({}), undefined, 'still being downloaded');
  assert.ok((await firstError({ modelsWaitMs: 60_000 })) instanceof ModelStoreError);
});
