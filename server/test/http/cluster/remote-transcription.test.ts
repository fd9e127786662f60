import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { AsrEvent, AsrInput, AsrTask } from '../../../src/domain/transcription/pipeline/asr-task.ts';
import { DispatchClient } from '../../../src/infrastructure/messaging/remote/dispatch-client.ts';
import { DispatchServer } from '../../../src/infrastructure/messaging/remote/dispatch-server.ts';
import { RemoteAsrWorkers } from '../../../src/infrastructure/messaging/transcription/remote-asr-workers.ts';
import { transcriptionRunner } from '../../../src/infrastructure/messaging/transcription/transcription-runner.ts';
import type { MessageBus } from '../../../src/infrastructure/messaging/transport/message-bus.ts';
import { connectNats } from '../../../src/infrastructure/messaging/transport/nats-bus.ts';
import { skipWithout } from '../../support/servers/missing-program.ts';
import { startPrivateNats } from '../../support/servers/nats-server.ts';
import { until } from '../../support/servers/real-server.ts';
import { CountingAsrWorkers } from '../../support/workers/counting-asr-workers.ts';

interface TestWorker {
  readonly asr: CountingAsrWorkers;
  readonly server: DispatchServer;
  readonly bus: MessageBus;
}

async function startCluster(t: TestContext) {
  const nats = await startPrivateNats();
  if (nats === undefined) {
    skipWithout('nats', t, 'nats-server cannot be installed.');
    return undefined;
  }
  const connect = () => connectNats({ url: nats.url, name: 'test' });
  const clientBus = await connect();
  const client = new DispatchClient({ bus: clientBus, version: '1.0.0', onEvent: () => {} });
  const workers: TestWorker[] = [];
  for (const id of ['one', 'two']) {
    const bus = await connect();
    const asr = new CountingAsrWorkers();
    const local = {
      workers: asr,
      ffmpegPath: 'ffmpeg',
      fileMaxBytes: 2 ** 30,
      presence: () => ({ processes: 1, engines: [] }),
    };
    const runners = { transcription: transcriptionRunner(local, { slots: 8 }) };
    const server = new DispatchServer({ bus, id, version: '1.0.0', runners, onEvent: () => {} });
    workers.push({ asr, server, bus });
  }
  t.after(async () => {
    await client.close();
    await clientBus.close();
    for (const { server, bus } of workers) {
      await server.close();
      await bus.close();
    }
    await nats.stop();
  });
  await until('both workers are present', () => client.workers.length === 2);
  return { workers, remote: new RemoteAsrWorkers(client, { waitForWorkerMs: 60_000 }) };
}

/** Cuts the connection of the worker that has a task, as if it had died. */
async function loseActive(workers: readonly TestWorker[]): Promise<void> {
  const busy = workers.find(({ asr }) => asr.active > 0);
  await busy?.bus.close();
}

const TASK: Omit<AsrTask, 'source'> = { engines: ['scripted'], accountId: 'account' };

test('a live transcription resumes on another worker: each second is transcribed once', async (t) => {
  const cluster = await startCluster(t);
  if (cluster === undefined) return;
  const { workers, remote } = cluster;
  const seconds = 24;
  const texts: string[] = [];
  async function* input(): AsyncGenerator<AsrInput> {
    for (let second = 0; second < seconds; second++) {
      yield new Float32Array(16_000).fill(second);
      // As in real time: the text of a second arrives before the next one is spoken.
      if (second % 4 === 3) await until('the text has arrived', () => texts.length >= second);
      if (second === 11) await loseActive(workers);
    }
  }
  let last: AsrEvent | undefined;
  const task = { ...TASK, source: { kind: 'stream' } } as const;
  for await (const event of remote.transcribe(task, {
    signal: new AbortController().signal,
    input: input(),
  })) {
    if (event.type === 'segment') {
      assert.equal(event.startSeconds, texts.length);
      texts.push(event.text);
    }
    last = event;
  }
  assert.deepEqual(
    texts,
    Array.from({ length: seconds }, (_, second) => `${second}`),
  );
  assert.deepEqual(last, { type: 'end', durationSeconds: seconds });
  assert.deepEqual(
    workers.map(({ asr }) => asr.started),
    [1, 1],
  );
});

test('a file is transcribed on a worker without access to it, also when that worker is lost', async (t) => {
  const cluster = await startCluster(t);
  if (cluster === undefined) return;
  const { workers, remote } = cluster;
  const folder = await mkdtemp(join(tmpdir(), 'mynah-file-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'recording');
  await writeFile(path, Buffer.concat(Array.from({ length: 60 }, (_, index) => Buffer.alloc(65_536, index))));
  const texts: string[] = [];
  const task = { ...TASK, source: { kind: 'file', path } } as const;
  for await (const event of remote.transcribe(task, { signal: new AbortController().signal })) {
    if (event.type !== 'segment') continue;
    texts.push(event.text);
    if (texts.length === 20) await loseActive(workers);
  }
  assert.deepEqual(
    texts,
    Array.from({ length: 60 }, (_, index) => `${index}`),
  );
});
