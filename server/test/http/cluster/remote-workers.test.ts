import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Utterance } from '../../../src/domain/engines/tts-engine.ts';
import type { MeasuredSpeechPart } from '../../../src/domain/speech/speech-workers.ts';
import type { DispatchPolicy } from '../../../src/infrastructure/messaging/protocol/dispatch-policy.ts';
import { DispatchClient } from '../../../src/infrastructure/messaging/remote/dispatch-client.ts';
import { DispatchServer } from '../../../src/infrastructure/messaging/remote/dispatch-server.ts';
import { RemoteSpeechWorkers } from '../../../src/infrastructure/messaging/speech/remote-speech-workers.ts';
import { speechRunner } from '../../../src/infrastructure/messaging/speech/speech-runner.ts';
import type { MessageBus } from '../../../src/infrastructure/messaging/transport/message-bus.ts';
import { connectNats } from '../../../src/infrastructure/messaging/transport/nats-bus.ts';
import { skipWithout } from '../../support/servers/missing-program.ts';
import { type PrivateNats, startPrivateNats } from '../../support/servers/nats-server.ts';
import { until } from '../../support/servers/real-server.ts';
import { joinSamples, SineWorkers, sineOf, sineUtterance } from '../../support/workers/sine-workers.ts';

const VERSION = '1.0.0';
const NO_SAMPLES = new Float32Array(0);
const WORKER_MAIN = fileURLToPath(new URL('../../support/workers/speech-worker-main.js', import.meta.url));

let nats: PrivateNats | undefined;

before(async () => {
  nats = await startPrivateNats();
});

after(async () => {
  await nats?.stop();
});

/** The address of NATS; undefined where the test is skipped. */
function natsUrl(t: TestContext): string | undefined {
  if (nats === undefined) skipWithout('nats', t, 'nats-server cannot be installed.');
  return nats?.url;
}

async function connect(t: TestContext, url: string): Promise<MessageBus> {
  const bus = await connectNats({ url, name: 'test' });
  t.after(() => bus.close());
  return bus;
}

interface Gateway {
  readonly client: DispatchClient;
  readonly speech: RemoteSpeechWorkers;
  readonly events: { readonly event: string; readonly facts: Readonly<Record<string, unknown>> }[];
}

async function openGateway(
  t: TestContext,
  url: string,
  {
    version = VERSION,
    waitForWorkerMs = 60_000,
    policy,
  }: { version?: string; waitForWorkerMs?: number; policy?: Partial<DispatchPolicy> } = {},
): Promise<Gateway> {
  const events: Gateway['events'] = [];
  const onEvent = (event: string, facts: Readonly<Record<string, unknown>>) =>
    void events.push({ event, facts });
  const client = new DispatchClient({ bus: await connect(t, url), version, onEvent, policy });
  t.after(() => client.close());
  return { client, events, speech: new RemoteSpeechWorkers(client, { waitForWorkerMs }) };
}

async function openWorker(
  t: TestContext,
  url: string,
  id: string,
  {
    windowMs = 5,
    slots = 8,
    version = VERSION,
  }: { windowMs?: number; slots?: number; version?: string } = {},
) {
  const workers = new SineWorkers({ windowMs });
  const bus = await connect(t, url);
  const server = new DispatchServer({
    bus,
    id,
    version,
    onEvent: () => {},
    runners: {
      speech: speechRunner(
        { workers, prepare: async () => {}, presence: () => ({ processes: 1, engines: [] }) },
        { slots },
      ),
    },
  });
  t.after(() => server.close());
  return {
    workers,
    server,
    async close() {
      await server.close();
      await bus.close();
    },
  };
}

async function startWorkerProcess(
  t: TestContext,
  url: string,
  id: string,
  windowMs: number,
): Promise<ChildProcess> {
  const child = spawn(process.execPath, [WORKER_MAIN], {
    env: { ...process.env, NATS_URL: url, WORKER_ID: id, WINDOW_MS: `${windowMs}` },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  await once(child, 'spawn');
  return child;
}

function speak(
  { speech }: Gateway,
  utterance: Utterance,
  options: { signal?: AbortSignal; stream?: object; onFinished?: () => void } = {},
) {
  return speech.speak('sine', utterance, {
    dueAtMs: Date.now(),
    isFirstAudio: true,
    accountId: 'account',
    signal: options.signal ?? new AbortController().signal,
    stream: options.stream ?? {},
    ...(options.onFinished && { onFinished: options.onFinished }),
  });
}

async function collect(parts: AsyncIterable<MeasuredSpeechPart>) {
  const samples: Float32Array[] = [];
  const words: number[] = [];
  for await (const part of parts) {
    samples.push(part.samples);
    words.push(...(part.wordTimes ?? []).map(({ wordIndex }) => wordIndex));
  }
  return { samples: joinSamples(samples), words };
}

const untilWorkers = ({ client }: Gateway, count: number) =>
  until(`${count} workers are present`, () => client.workers.length === count);

test('speech on a remote worker equals speech on a local one, sample by sample', async (t) => {
  const url = natsUrl(t);
  if (url === undefined) return;
  const gateway = await openGateway(t, url);
  const worker = await openWorker(t, url, 'exact');
  const utterance = sineUtterance(60, 7);
  let finished = 0;
  const { samples, words } = await collect(speak(gateway, utterance, { onFinished: () => finished++ }));
  assert.deepEqual(samples, sineOf(utterance));
  assert.deepEqual(words, [...utterance.words.keys()]);
  assert.equal(finished, 1);
  assert.equal(gateway.client.openTasks, 0);
  await until('the worker has no task', () => worker.server.openTasks === 0);
  await worker.close();
});

test('a listener that does not read holds the worker back; a disconnect stops it', async (t) => {
  const url = natsUrl(t);
  if (url === undefined) return;
  const gateway = await openGateway(t, url, { policy: { window: 4 } });
  const worker = await openWorker(t, url, 'held', { windowMs: 1 });
  const abort = new AbortController();
  const parts = speak(gateway, sineUtterance(400, 1), { signal: abort.signal });
  await parts.next();
  await until('the credit is used up', () => worker.workers.windows >= 5);
  // Without flow control all windows would be made within half a second.
  await new Promise((resolve) => setTimeout(resolve, 600));
  assert.ok(worker.workers.windows < 20, `${worker.workers.windows} windows`);
  abort.abort();
  await assert.rejects(async () => {
    for await (const _ of parts);
  });
  await until('the engine has stopped', () => worker.workers.active === 0);
  assert.equal(worker.server.openTasks, 0);
  await worker.close();
});

test('a full worker refuses and the next one serves; without a free slot the error is engine_unavailable', async (t) => {
  const url = natsUrl(t);
  if (url === undefined) return;
  const gateway = await openGateway(t, url, { waitForWorkerMs: 500 });
  const other = await openGateway(t, url, { waitForWorkerMs: 60_000 });
  const workers = [
    await openWorker(t, url, 'full-1', { slots: 1 }),
    await openWorker(t, url, 'full-2', { slots: 1, windowMs: 30 }),
  ];
  await untilWorkers(gateway, 2);
  await untilWorkers(other, 2);
  const abort = new AbortController();
  const long = [1, 1].map((seed) => speak(other, sineUtterance(2000, seed), { signal: abort.signal }));
  for (const parts of long) await parts.next();
  assert.deepEqual(
    workers.map((worker) => worker.workers.active),
    [1, 1],
  );
  await assert.rejects(collect(speak(gateway, sineUtterance(3, 1))), { code: 'engine_unavailable' });
  abort.abort();
  await until('both workers are free', () => workers.every((worker) => worker.server.openTasks === 0));
  const utterance = sineUtterance(3, 1);
  assert.deepEqual((await collect(speak(other, utterance))).samples, sineOf(utterance));
  for (const worker of workers) await worker.close();
});

test('the utterances of a stream and of a voice stay with one worker', async (t) => {
  const url = natsUrl(t);
  if (url === undefined) return;
  const gateway = await openGateway(t, url);
  const workers = [
    await openWorker(t, url, 'near-1'),
    await openWorker(t, url, 'near-2'),
    await openWorker(t, url, 'near-3'),
  ];
  await untilWorkers(gateway, 3);
  for (let index = 0; index < 6; index++) await collect(speak(gateway, sineUtterance(2, 5)));
  assert.deepEqual(workers.map(({ workers: { started } }) => started).sort(), [0, 0, 6]);
  const stream = {};
  for (let seed = 0; seed < 6; seed++) await collect(speak(gateway, sineUtterance(2, seed), { stream }));
  assert.ok(workers.some(({ workers: { started } }) => started === 6 || started === 12));
  for (const worker of workers) await worker.close();
});

test('a draining worker finishes its tasks and gets no new ones', async (t) => {
  const url = natsUrl(t);
  if (url === undefined) return;
  const gateway = await openGateway(t, url);
  const first = await openWorker(t, url, 'drain-1', { windowMs: 20 });
  await untilWorkers(gateway, 1);
  const utterance = sineUtterance(40, 3);
  const parts = speak(gateway, utterance);
  const firstPart = await parts.next();
  const second = await openWorker(t, url, 'drain-2');
  await untilWorkers(gateway, 2);
  const drained = first.server.drain(60_000);
  const rest = await collect(parts);
  await drained;
  await first.close();
  assert.deepEqual(joinSamples([firstPart.value?.samples ?? NO_SAMPLES, rest.samples]), sineOf(utterance));
  assert.equal(first.workers.started, 1);
  await collect(speak(gateway, utterance));
  assert.equal(second.workers.started, 1);
  await second.close();
});

test('a worker of another major version, or two minor versions away, gets no tasks', async (t) => {
  const url = natsUrl(t);
  if (url === undefined) return;
  const gateway = await openGateway(t, url, { version: '1.4.0', waitForWorkerMs: 300 });
  const old = await openWorker(t, url, 'skew-old', { version: '1.2.9' });
  await untilWorkers(gateway, 1);
  await assert.rejects(collect(speak(gateway, sineUtterance(2, 1))), { code: 'engine_unavailable' });
  assert.ok(
    gateway.events.some(({ event, facts }) => /incompatible/.test(event) && facts.workerId === 'skew-old'),
  );
  const near = await openWorker(t, url, 'skew-near', { version: '1.3.0' });
  await untilWorkers(gateway, 2);
  await collect(speak(gateway, sineUtterance(2, 1)));
  assert.deepEqual([old.workers.started, near.workers.started], [0, 1]);
  await old.close();
  await near.close();
});

for (const [name, signal] of [
  ['killed', 'SIGKILL'],
  ['stopped', 'SIGSTOP'],
] as const) {
  test(`streams of a ${name} worker continue on another one without gap or repetition`, async (t) => {
    const url = natsUrl(t);
    if (url === undefined) return;
    const gateway = await openGateway(t, url);
    const processes = [
      await startWorkerProcess(t, url, `${name}-1`, 20),
      await startWorkerProcess(t, url, `${name}-2`, 20),
    ];
    await untilWorkers(gateway, 2);
    const utterances = Array.from({ length: 8 }, (_, seed) => sineUtterance(60, seed));
    let delivered = 0;
    const streams = utterances.map(async (utterance) => {
      const samples: Float32Array[] = [];
      for await (const part of speak(gateway, utterance)) {
        samples.push(part.samples);
        delivered += 1;
      }
      return joinSamples(samples);
    });
    await until('the streams are in the middle', () => delivered >= 80);
    processes[0]!.kill(signal);
    const results = await Promise.all(streams);
    for (const [index, utterance] of utterances.entries())
      assert.deepEqual(results[index], sineOf(utterance));
    assert.ok(gateway.events.some(({ event }) => event === 'a task was dispatched again'));
    assert.equal(gateway.client.openTasks, 0);
    for (const child of processes) child.kill('SIGKILL');
    await untilWorkers(gateway, 0);
  });
}

test('streams survive a restart of NATS', async (t) => {
  const url = natsUrl(t);
  if (url === undefined) return;
  const gateway = await openGateway(t, url);
  const worker = await openWorker(t, url, 'restart', { windowMs: 20 });
  await untilWorkers(gateway, 1);
  const utterance = sineUtterance(100, 9);
  const parts = speak(gateway, utterance);
  const samples: Float32Array[] = [];
  for (let count = 0; count < 20; count++) samples.push((await parts.next()).value?.samples ?? NO_SAMPLES);
  await nats!.stop();
  await nats!.startAgain();
  samples.push((await collect(parts)).samples);
  assert.deepEqual(joinSamples(samples), sineOf(utterance));
  // The worker kept what was lost: it did not start again.
  assert.equal(worker.workers.started, 1);
  await worker.close();
});

test('a worker stops the tasks of a gateway that is gone', async (t) => {
  const url = natsUrl(t);
  if (url === undefined) return;
  const bus = await connect(t, url);
  const client = new DispatchClient({ bus, version: VERSION, onEvent: () => {} });
  const worker = await openWorker(t, url, 'orphan', { windowMs: 50 });
  await until('the worker is present', () => client.workers.length === 1);
  const speech = new RemoteSpeechWorkers(client, { waitForWorkerMs: 60_000 });
  const gateway = { client, speech, events: [] };
  const parts = speak(gateway, sineUtterance(2000, 1));
  await parts.next();
  assert.equal(worker.workers.active, 1);
  await bus.close();
  await until('the engine has stopped', () => worker.workers.active === 0);
  await client.close();
  await worker.close();
});
