import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../support/servers/otlp-receiver.ts';
import { type RealServer, startRealServer, until } from '../support/servers/real-server.ts';

const CALLER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const TEXT = 'The quick brown fox jumps over the lazy dog. Then it sleeps for a while.';

let collector: OtlpReceiver;
let server: RealServer;
before(async () => {
  collector = await startOtlpReceiver();
  server = await startRealServer({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, MYNAH_LOG_LEVEL: 'info', MYNAH_LOG_FORMAT: 'json' },
  });
});
after(async () => {
  await server.close();
  await collector.close();
});

const spansOf = (traceId: string) => collector.spans.filter((span) => span.traceId === traceId);

async function traceOf(traceId: string): Promise<readonly ReceivedSpan[]> {
  // The root ends last.
  await until('the trace is complete', () => spansOf(traceId).some(({ name }) => name === 'POST /v1/tts'));
  return spansOf(traceId);
}

function attributeOf({ attributes }: ReceivedSpan, name: string): string | undefined {
  const value = attributes.find(({ key }) => key === name)?.value;
  return value && String(value.stringValue ?? value.intValue);
}

test('a request gives one unbroken trace from the HTTP request to the windows in the worker process', async () => {
  const traceparent = `00-${CALLER.traceId}-${CALLER.spanId}-01`;
  const response = await server.speak({ text: TEXT }, { headers: { traceparent } });
  assert.equal(response.status, 200);
  await response.arrayBuffer();
  const spans = await traceOf(CALLER.traceId);

  const [root] = spans.filter(({ name }) => name === 'POST /v1/tts');
  assert.equal(root?.parentSpanId, CALLER.spanId, 'the span of the caller is the parent');
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  for (const span of spans) {
    if (span !== root)
      assert.ok(byId.has(span.parentSpanId ?? ''), `${span.name} has no parent in the trace`);
  }
  const names = new Set(spans.map(({ name }) => name));
  for (const name of [
    'admission',
    'capacity',
    'text.plan',
    'text',
    'dispatch',
    'worker job',
    'engine.front',
    'engine.window',
    'encode',
    'database',
  ]) {
    assert.ok(names.has(name), `no span ${name}; there are ${[...names].join(', ')}`);
  }

  const workers = new Set((await server.workerPids()).map(String));
  const windows = spans.filter(({ name }) => name === 'engine.window');
  for (const window of windows) {
    const job = byId.get(window.parentSpanId ?? '');
    assert.equal(job?.name, 'worker job');
    assert.ok(workers.has(attributeOf(job, 'process.pid') ?? ''), 'the job ran in a worker process');
    const dispatch = byId.get(job.parentSpanId ?? '');
    assert.equal(dispatch?.name, 'dispatch');
    assert.ok(BigInt(window.endTimeUnixNano) >= BigInt(window.startTimeUnixNano));
  }
  const front = spans.find(({ name }) => name === 'engine.front');
  assert.equal(byId.get(front?.parentSpanId ?? '')?.name, 'engine.window');
});

test('without a caller, the trace has the id of the response and of the log lines', async () => {
  const response = await server.speak({ text: TEXT });
  await response.arrayBuffer();
  const traceId = response.headers.get('x-fish-trace-id') ?? '';
  const spans = await traceOf(traceId);
  const [root] = spans.filter(({ name }) => name === 'POST /v1/tts');
  assert.equal(root?.parentSpanId || undefined, undefined);
  assert.ok(server.output().includes(`"requestId":"${traceId}"`));
});

test('a caller that does not sample gets no trace', async () => {
  const traceId = `${CALLER.traceId.slice(0, -4)}0000`;
  const headers = { traceparent: `00-${traceId}-${CALLER.spanId}-00` };
  await (await server.speak({ text: 'One.' }, { headers })).arrayBuffer();
  const response = await server.speak({ text: 'Two.' });
  await response.arrayBuffer();
  await traceOf(response.headers.get('x-fish-trace-id') ?? '');
  assert.deepEqual(spansOf(traceId), []);
});

test('probes give no spans, and spans contain no text, key or account', async () => {
  await fetch(`${server.url}/healthz`);
  const response = await server.speak({ text: 'A last request.' });
  await response.arrayBuffer();
  await traceOf(response.headers.get('x-fish-trace-id') ?? '');
  assert.ok(!collector.spans.some(({ name }) => name.includes('healthz')));
  for (const secret of [server.key, 'quick brown', 'fox', 'acc_first']) {
    assert.ok(!collector.text().includes(secret), `the traces contain ${secret}`);
  }
});
