import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metricEntries } from './declarations.ts';
import { MetricsRegistry } from './metrics-registry.ts';
import { acceptsOpenMetrics } from './openmetrics.ts';
import { engineLabel, ServerMetrics } from './server-metrics.ts';

/** The `Accept` header of Prometheus 2. */
const PROMETHEUS_ACCEPT =
  'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1';
const UNBOUNDED_LABELS = ['account', 'key', 'voice', 'text', 'path', 'url', 'user'];

test('declarations follow the naming rules of Prometheus, and no label is unbounded', () => {
  for (const [name, { type, help, labels = {}, buckets }] of metricEntries()) {
    assert.match(name, /^(mynah|process|nodejs)_[a-z_]+$/);
    assert.equal(name.endsWith('_total'), type === 'counter', name);
    assert.doesNotMatch(name, /_(ms|milliseconds|mb|percent)\b/);
    assert.match(help, /\.$/, name);
    assert.equal(buckets !== undefined, type === 'histogram', name);
    for (const label of Object.keys(labels))
      assert.ok(!UNBOUNDED_LABELS.includes(label), `${name}: ${label}`);
  }
});

test('both formats have the same samples; OpenMetrics names counters without their suffix', async () => {
  const registry = new MetricsRegistry();
  registry.increment('mynah_http_errors_total', { code: 'queue_full' }, 2);
  registry.observe('mynah_queue_wait_seconds', { queue: 'admission' }, 0.02);
  const text = await registry.render('text/plain');
  const open = await registry.render(PROMETHEUS_ACCEPT);
  assert.match(text.contentType, /^text\/plain; version=0\.0\.4/);
  assert.match(open.contentType, /^application\/openmetrics-text; version=1\.0\.0/);
  const samples = (body: string) => body.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  assert.deepEqual(samples(open.body), samples(text.body));
  assert.ok(samples(text.body).includes('mynah_http_errors_total{code="queue_full"} 2'));
  assert.match(text.body, /^# TYPE mynah_http_errors_total counter$/m);
  assert.match(open.body, /^# TYPE mynah_http_errors counter$/m);
  assert.match(open.body, /\n# EOF\n$/);
  assert.doesNotMatch(open.body, /\n\n/);
});

test('an absent Accept header gets the Prometheus format', () => {
  assert.equal(acceptsOpenMetrics(undefined), false);
  assert.equal(acceptsOpenMetrics('*/*'), false);
});

test('a source that fails does not hide the other metrics', async () => {
  const registry = new MetricsRegistry();
  registry.addSource(async () => {
    throw new Error('The database is down.');
  });
  registry.addSource(() => registry.set('mynah_ready', undefined, 1));
  assert.match((await registry.render(undefined)).body, /^mynah_ready 1$/m);
});

test('a cleared gauge keeps only the values that are set again', async () => {
  const registry = new MetricsRegistry();
  registry.set('mynah_worker_memory_bytes', { kind: 'speech', worker: '1' }, 5);
  registry.clear('mynah_worker_memory_bytes');
  registry.set('mynah_worker_memory_bytes', { kind: 'speech', worker: '0' }, 7);
  const { body } = await registry.render(undefined);
  assert.match(body, /^mynah_worker_memory_bytes\{kind="speech",worker="0"\} 7$/m);
  assert.doesNotMatch(body, /worker="1"/);
});

test('all Piper voices share one engine label', async () => {
  const metrics = new ServerMetrics(new MetricsRegistry());
  for (const engine of ['piper:en-amy', 'piper:de-thorsten', 'kokoro-fast']) {
    metrics.synthesized(engine, { audioSeconds: 2, workSeconds: 1 });
  }
  assert.equal(engineLabel('piper-folder:private name'), 'piper-folder');
  const { body } = await metrics.registry.render(undefined);
  assert.match(body, /^mynah_speech_audio_seconds_total\{engine="piper"\} 4$/m);
  assert.doesNotMatch(body, /amy|thorsten/);
});

test('counters of rare events exist before the first event', async () => {
  const { registry } = new ServerMetrics(new MetricsRegistry());
  const { body } = await registry.render(undefined);
  assert.match(body, /^mynah_worker_restarts_total\{kind="speech"\} 0$/m);
  assert.match(body, /^mynah_ledger_settlements_total\{outcome="failed"\} 0$/m);
  assert.match(body, /^mynah_admission_refusals_total\{queue="capacity",code="queue_full"\} 0$/m);
});
