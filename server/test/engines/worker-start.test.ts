import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SpeechPool } from '../../src/inference/runtime/speech/speech-pool.ts';
import { startRealServer, until } from '../support/servers/real-server.ts';

test('workers that cannot start are replaced, while the start waits and requests get 503', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mynah-worker-start-'));
  const events: { readonly event: string; readonly level: string | undefined }[] = [];
  const pool = new SpeechPool({
    policy: { startTimeoutMs: 20_000, memoryMaxBytes: 2 ** 40, backOffMinMs: 10, backOffMaxMs: 20 },
    waitForWorkerMs: 10,
    onEvent: (event, _facts, level) => events.push({ event, level }),
  });
  try {
    // Without models no engine can be loaded.
    const settings = { modelsRoot: folder, assetsRoot: folder, threads: 1 };
    let outcome: unknown = 'waiting';
    const start = pool.start({ count: 1, settings, warmEngines: ['kokoro-fast'] }).then(
      () => {
        outcome = 'ended';
      },
      (error: unknown) => {
        outcome = error;
      },
    );
    await until('two processes have failed', () => (pool.status()[0]?.restarts ?? 0) >= 2);
    assert.equal(outcome, 'waiting');
    assert.ok(events.every(({ event, level }) => event === 'worker cannot start' && level === 'error'));
    const utterance = { words: [], language: 'en-US', speed: 1, seed: 1 } as const;
    const voice = { kind: 'named', name: 'af_heart' } as const;
    const { signal } = new AbortController();
    const options = { dueAtMs: 0, isFirstAudio: true, accountId: '', stream: {}, signal };
    await assert.rejects(
      async () => {
        for await (const _ of pool.speak('kokoro-fast', { ...utterance, voice }, options));
      },
      { code: 'engine_unavailable' },
    );
    await pool.close();
    await start;
    assert.equal(outcome, 'ended');
  } finally {
    await pool.close();
    await rm(folder, { recursive: true });
  }
});

test('a server whose requests do not wait for workers starts all the same', async () => {
  const server = await startRealServer({ env: { MYNAH_ENGINE_WAIT_SECONDS: '0', MYNAH_WORKERS: '1' } });
  try {
    const response = await server.speak({ text: 'Ready.', format: 'pcm' });
    assert.equal(response.status, 200);
    await response.arrayBuffer();
  } finally {
    await server.close();
  }
});
