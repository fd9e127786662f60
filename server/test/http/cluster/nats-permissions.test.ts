import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { DispatchClient } from '../../../src/infrastructure/messaging/remote/dispatch-client.ts';
import { DispatchServer } from '../../../src/infrastructure/messaging/remote/dispatch-server.ts';
import { RemoteSpeechWorkers } from '../../../src/infrastructure/messaging/speech/remote-speech-workers.ts';
import { speechRunner } from '../../../src/infrastructure/messaging/speech/speech-runner.ts';
import {
  connectNats,
  NatsUnavailableError,
} from '../../../src/infrastructure/messaging/transport/nats-bus.ts';
import { skipWithout } from '../../support/servers/missing-program.ts';
import { createNatsAccount } from '../../support/servers/nats-credentials.ts';
import { type PrivateNats, startPrivateNats } from '../../support/servers/nats-server.ts';
import { until } from '../../support/servers/real-server.ts';
import { createCertificate } from '../../support/servers/self-signed-certificate.ts';
import { joinSamples, SineWorkers, sineOf, sineUtterance } from '../../support/workers/sine-workers.ts';

const GUIDE = new URL('../../../../../docs/guides/scaling.md', import.meta.url);

/** The configuration that the guide shows. */
async function guideConfiguration(): Promise<string> {
  const guide = await readFile(GUIDE, 'utf8');
  const example = /```conf\n(# nats-server[\s\S]*?)```/.exec(guide)?.[1];
  assert.ok(example, 'the guide has an example');
  return example;
}

async function start(t: TestContext): Promise<PrivateNats | undefined> {
  const nats = await startPrivateNats(await guideConfiguration());
  if (nats === undefined) skipWithout('nats', t, 'nats-server cannot be installed.');
  else t.after(() => nats.stop());
  return nats;
}

async function connect(t: TestContext, nats: PrivateNats, user: string) {
  const url = `nats://${user}:${user}-password@127.0.0.1:${nats.port}`;
  const bus = await connectNats({ url, name: user });
  t.after(() => bus.close());
  return bus;
}

test('with the permissions of the guide, workers serve gateways and cannot act as another worker', async (t) => {
  const nats = await start(t);
  if (nats === undefined) return;
  const client = new DispatchClient({
    bus: await connect(t, nats, 'gateway'),
    version: '1.0.0',
    onEvent: () => {},
  });
  t.after(() => client.close());
  const workerBus = await connect(t, nats, 'worker-1');
  const intruder = await connect(t, nats, 'worker-2');
  const seen: string[] = [];
  // None of these is allowed: presence and messages of worker-1, and its tasks.
  intruder.subscribe('mynah.worker.worker-1.*', ({ subject }) => seen.push(subject));
  intruder.subscribe('mynah.>', ({ subject }) => seen.push(subject));
  const serve = (id: string, bus: typeof workerBus) => {
    const workers = new SineWorkers({ windowMs: 2 });
    const local = { workers, prepare: async () => {}, presence: () => ({ processes: 1, engines: [] }) };
    const runners = { speech: speechRunner(local, { slots: 8 }) };
    const server = new DispatchServer({ bus, id, version: '1.0.0', runners, onEvent: () => {} });
    t.after(() => server.close());
    return workers;
  };
  const forged = serve('worker-3', intruder);
  serve('worker-1', workerBus);
  await until('worker-1 is present', () => client.workers.length > 0);
  const speech = new RemoteSpeechWorkers(client, { waitForWorkerMs: 60_000 });
  const utterance = sineUtterance(20, 4);
  const samples: Float32Array[] = [];
  const { signal } = new AbortController();
  const options = { dueAtMs: 0, isFirstAudio: true, signal, stream: {}, accountId: 'a' };
  for await (const part of speech.speak('sine', utterance, options)) samples.push(part.samples);
  assert.deepEqual(joinSamples(samples), sineOf(utterance));
  await intruder.flush();
  assert.deepEqual(
    client.workers.map(({ id }) => id),
    ['worker-1'],
  );
  assert.equal(forged.started, 0);
  assert.deepEqual(seen, []);
});

test('a worker with a credentials file publishes and receives its own subjects only', async (t) => {
  const account = createNatsAccount();
  const folder = await mkdtemp(join(tmpdir(), 'mynah-nats-creds-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const nats = await startPrivateNats(account.configuration);
  if (nats === undefined) {
    skipWithout('nats', t, 'nats-server cannot be installed.');
    return;
  }
  t.after(() => nats.stop());
  const open = async (name: string, permissions: Parameters<typeof account.createUser>[2]) => {
    const credentialsFile = await account.createUser(folder, name, permissions);
    const bus = await connectNats({ url: nats.url, name, credentialsFile });
    t.after(() => bus.close());
    return bus;
  };
  const gateway = await open('gateway', {
    publish: ['mynah.worker.>', 'mynah.load.*'],
    subscribe: ['mynah.presence.*', 'mynah.gateway.>', 'mynah.load.*'],
  });
  const worker = await open('worker-1', {
    publish: ['mynah.presence.worker-1', 'mynah.gateway.*.worker-1'],
    subscribe: ['mynah.worker.worker-1.*'],
  });
  const received: string[] = [];
  gateway.subscribe('mynah.presence.*', ({ subject }) => received.push(subject));
  worker.subscribe('mynah.worker.worker-1.*', ({ subject }) => received.push(subject));
  worker.subscribe('mynah.worker.worker-2.*', ({ subject }) => received.push(subject));
  await Promise.all([gateway.flush(), worker.flush()]);
  const nothing = new Uint8Array(0);
  worker.publish('mynah.presence.worker-2', nothing);
  worker.publish('mynah.presence.worker-1', nothing);
  gateway.publish('mynah.worker.worker-2.gateway', nothing);
  gateway.publish('mynah.worker.worker-1.gateway', nothing);
  await until('both messages have arrived', () => received.length >= 2);
  assert.deepEqual(received.sort(), ['mynah.presence.worker-1', 'mynah.worker.worker-1.gateway']);
  await assert.rejects(connectNats({ url: nats.url, name: 'nobody' }), NatsUnavailableError);
});

test('wrong credentials are refused with a message that does not contain them', async (t) => {
  const nats = await start(t);
  if (nats === undefined) return;
  const url = `nats://gateway:wrong-password@127.0.0.1:${nats.port}`;
  await assert.rejects(connectNats({ url, name: 'test' }), (error) => {
    assert.ok(error instanceof NatsUnavailableError);
    assert.ok(!error.message.includes('wrong-password'));
    return true;
  });
});

test('with TLS, certificates of both sides are verified', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'mynah-nats-tls-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const { cert, key } = await createCertificate(folder, 'nats');
  const nats = await startPrivateNats(
    `tls { cert_file: "${cert}", key_file: "${key}", ca_file: "${cert}", verify: true }`,
  );
  if (nats === undefined) {
    skipWithout('nats', t, 'nats-server cannot be installed.');
    return;
  }
  t.after(() => nats.stop());
  const url = `tls://127.0.0.1:${nats.port}`;
  const bus = await connectNats({ url, name: 'test', caFile: cert, certFile: cert, keyFile: key });
  await bus.flush();
  await bus.close();
  await assert.rejects(
    connectNats({ url, name: 'test', certFile: cert, keyFile: key }),
    NatsUnavailableError,
  );
  await assert.rejects(connectNats({ url, name: 'test', caFile: cert }), NatsUnavailableError);
});
