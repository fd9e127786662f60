import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OtlpTracer } from './otlp-tracer.ts';
import { parseTraceparent } from './traceparent.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

test('a traceparent header is parsed, and an invalid one ignored', () => {
  const { traceId, spanId, traceFlags } = parseTraceparent(`00-${TRACE}-${SPAN}-01`) ?? {};
  assert.deepEqual({ traceId, spanId, traceFlags }, { traceId: TRACE, spanId: SPAN, traceFlags: 1 });
  for (const header of [
    undefined,
    '',
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-${'x'.repeat(1000)}`,
  ]) {
    assert.equal(parseTraceparent(header), undefined);
  }
});

function openTracer(env: Record<string, string> = {}): OtlpTracer {
  // Port 9 discards; nothing is delivered before the tracer is closed.
  return new OtlpTracer({ endpoint: 'http://127.0.0.1:9/', version: '0', env, onProblem: () => {} });
}
const root = { traceId: TRACE, traceparent: undefined };

test('the root has the trace id of the request, and children need a root', async () => {
  const tracer = openTracer();
  assert.equal(tracer.start('database', {}), undefined);
  const span = tracer.start('GET /', { root });
  assert.ok(span);
  tracer.run(span, () => {
    assert.equal(tracer.activeIds()?.traceId, TRACE);
    const child = tracer.start('database', {});
    assert.ok(child);
    tracer.run(child, () => assert.equal(tracer.activeIds()?.traceId, TRACE));
  });
  assert.equal(tracer.activeIds(), undefined);
  await tracer.close();
});

test('the sampler is that of the variables of OpenTelemetry', async () => {
  const isSampled = async (env: Record<string, string>, traceparent?: string) => {
    const tracer = openTracer(env);
    const span = tracer.start('GET /', { root: { ...root, traceparent } });
    await tracer.close();
    return span !== undefined;
  };
  assert.equal(await isSampled({}), true);
  assert.equal(await isSampled({ OTEL_TRACES_SAMPLER: 'always_off' }), false);
  assert.equal(
    await isSampled({ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }),
    false,
  );
  assert.equal(await isSampled({}, `00-${TRACE}-${SPAN}-00`), false);
  const ratio = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' };
  assert.equal(await isSampled(ratio, `00-${TRACE}-${SPAN}-01`), true);
});
