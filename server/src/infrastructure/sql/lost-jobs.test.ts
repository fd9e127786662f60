import assert from 'node:assert/strict';
import { until } from '../../../test/support/servers/real-server.ts';
import { testOnEachDatabase } from '../../../test/support/sql/databases.ts';
import { DEFAULT_SCOPES } from '../../domain/accounts/caller.ts';
import { TranscriptionJobs } from '../../domain/transcription/transcription-jobs.ts';
import type { TranscribeRequest } from '../../domain/transcription/transcription-service.ts';
import type { UploadStore } from '../../domain/transcription/upload-store.ts';
import type { Database } from './database.ts';
import { SqlJobStore } from './sql-job-store.ts';
import { SqlKeyStore } from './sql-key-store.ts';

const CALLER = {
  accountId: 'acc_1',
  keyId: 'key_1',
  meterId: 'key_1',
  scopes: DEFAULT_SCOPES,
  spendCapNano: undefined,
  requestsPerMinute: undefined,
  concurrencyMax: undefined,
};
const OPTIONS = {
  model: 'transcribe-1',
  language: undefined,
  prompt: undefined,
  vocabulary: [],
  speakers: undefined,
} as const;
const ID = 'asr_1';

async function addJob(db: Database): Promise<SqlJobStore> {
  await new SqlKeyStore(db).ensureAccount({ id: CALLER.accountId, name: 'Ada', createdAtMs: 1 });
  const store = new SqlJobStore(db);
  const view = { format: 'json', ignoreTimestamps: false } as const;
  await store.add({ id: ID, caller: CALLER, options: OPTIONS, view, createdAtMs: 1 });
  return store;
}

/** Runs the jobs of a store until the job has ended. Resolves with the number of transcriptions. */
async function runJobs(store: SqlJobStore): Promise<number> {
  const requests: TranscribeRequest[] = [];
  const uploads: UploadStore = {
    openLocal: async () => ({ path: '/dev/null', release: async () => {} }),
    listStored: async () => [],
    discard: async () => {},
  } as Partial<UploadStore> as UploadStore; // The jobs here are never submitted.
  const jobs = new TranscriptionJobs({
    store,
    uploads,
    service: {
      async *transcribe(request) {
        requests.push(request);
        const transcript = {
          text: '',
          durationSeconds: 1,
          language: 'en',
          segments: [],
          speakerTurns: undefined,
        };
        yield { type: 'finished', transcript, channels: 1 };
      },
    },
    settings: {
      concurrency: 1,
      openMax: 10,
      openPerAccountMax: 10,
      followersMax: 1,
      retentionMs: 1e9,
      leaseMs: 60_000,
    },
    openCharge: async () => ({ hold: async () => {}, settle: async () => 0 }),
    onEvent: () => {},
  });
  jobs.start();
  await until('the job ends', async () => (await store.find(ID))?.finishedAtMs !== undefined);
  await jobs.close();
  return requests.length;
}

/** Claims the job as a process that dies at once: its lease expires without a release. */
async function loseProcesses(store: SqlJobStore, count: number): Promise<void> {
  for (let process = 0; process < count; process++) assert.ok(await store.claim(0));
}

testOnEachDatabase(
  'a job that every process ends on without progress fails and is not tried again',
  async (db) => {
    const store = await addJob(db);
    await loseProcesses(store, 6);
    assert.equal(await runJobs(store), 0);
    const job = await store.find(ID);
    assert.deepEqual([job?.status, job?.failure?.code], ['failed', 'audio_not_transcribable']);
  },
);

testOnEachDatabase(
  'processes that end after progress do not count, nor do those that release the job',
  async (db) => {
    const store = await addJob(db);
    await loseProcesses(store, 6);
    const { lease } = (await store.claim(0))!;
    await store.renew(lease, { processedSeconds: 5, fraction: 0.5 }, 0);
    await loseProcesses(store, 4);
    for (let restart = 0; restart < 5; restart++) {
      const claimed = (await store.claim(60_000))!;
      await store.release(claimed.lease, { delayMs: 0, isAttempt: false });
    }
    assert.equal(await runJobs(store), 1);
    assert.equal((await store.find(ID))?.status, 'finished');
  },
);
