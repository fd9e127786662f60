import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { test } from 'node:test';
import { startRealCluster } from '../support/cluster/real-cluster.ts';
import { skipWithout } from '../support/servers/missing-program.ts';
import { type ReceivedSpan, startOtlpReceiver } from '../support/servers/otlp-receiver.ts';
import { type RealServer, startRealServer, until } from '../support/servers/real-server.ts';

/** Several pieces, so that a fault hits the middle of a sentence. */
const TEXT =
  'The lighthouse keeper climbed the narrow stairs with a lamp in one hand and a letter in the other, counting every step under his breath. ' +
  'Outside the wind had turned to the north, and the first snow of the winter was blowing across the harbour in long white lines.';
const REQUEST = { text: TEXT, format: 'pcm', sample_rate: 24_000, seed: 7 };

/** The audio of a request. `onFirst` is called with its first bytes. */
async function speak(server: RealServer, onFirst = () => {}): Promise<Buffer> {
  const response = await server.speak(REQUEST);
  assert.equal(response.status, 200);
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body!) {
    if (chunks.length === 0) onFirst();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

test('a cluster speaks as one machine does, also when workers are killed and stopped in mid-stream', async (t) => {
  const collector = await startOtlpReceiver();
  t.after(() => collector.close());
  const cluster = await startRealCluster({
    workers: 2,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  });
  if (cluster === undefined) {
    skipWithout('nats', t, 'NATS, PostgreSQL or the S3 server cannot be installed.');
    return;
  }
  t.after(() => cluster.close());
  const single = await startRealServer({ env: { MYNAH_WORKERS: '1' } });
  const expected = await speak(single);
  await single.close();
  const { gateway } = cluster;
  assert.ok(expected.equals(await speak(gateway)), 'the audio of the cluster is that of one machine');

  await until('one trace leads over NATS into a worker process', () => {
    const root = collector.spans.find(({ name }) => name === 'POST /v1/tts');
    return isUnbroken(collector.spans.filter(({ traceId }) => traceId === root?.traceId));
  });

  for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
    if (cluster.workers.filter(isRunning).length < 2) await cluster.startWorker('replacement');
    // Each of two workers serves one of two streams, so the victim serves one.
    const [victim] = cluster.workers.filter(isRunning);
    const streams = Array.from({ length: 2 }, () => speak(gateway, () => victim?.kill(signal)));
    for (const audio of await Promise.all(streams))
      assert.ok(expected.equals(audio), `exact after ${signal}`);
    victim?.kill('SIGKILL');
  }
  const { workers } = await gateway.health();
  assert.ok(workers.length > 0);
});

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

/** Whether the spans of a remote utterance are there, each with its parent. */
function isUnbroken(spans: readonly ReceivedSpan[]): boolean {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const names = new Set(spans.map(({ name }) => name));
  const expected = ['dispatch', 'remote job', 'worker job', 'engine.front', 'engine.window', 'encode'];
  return (
    expected.every((name) => names.has(name)) &&
    spans.every(({ parentSpanId }) => !parentSpanId || ids.has(parentSpanId))
  );
}
