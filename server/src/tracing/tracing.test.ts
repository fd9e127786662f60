import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import {
  activeTraceIds,
  errorTypeOf,
  installTracer,
  isRecorded,
  runInSpan,
  type Span,
  startSpan,
  type Tracer,
  traced,
  tracedSync,
} from './tracing.ts';

afterEach(() => installTracer(undefined));

/** A tracer that writes down what happens to its spans. */
function listingTracer(events: string[]): Tracer {
  const start = (name: string): Span => ({
    setAttributes: () => {},
    fail: (error) => void events.push(`${name} failed ${errorTypeOf(error)}`),
    end: () => void events.push(`${name} ended`),
  });
  return {
    start,
    run: (_span, work) => work(),
    active: () => undefined,
    activeIds: () => ({ traceId: 'a', spanId: 'b' }),
    attach: () => {},
  };
}

test('without a tracer, work runs unchanged and spans have no effect', async () => {
  const span = startSpan('x', { attributes: { a: 1 } });
  assert.equal(isRecorded(span), false);
  span.setAttributes({ b: 2 });
  span.end();
  assert.equal(await traced('x', async () => 5), 5);
  assert.equal(
    tracedSync('x', () => 6),
    6,
  );
  assert.equal(
    runInSpan(span, () => 7),
    7,
  );
  assert.equal(activeTraceIds(), undefined);
});

test('a span ends with its work, and a failure is recorded by its code', async () => {
  const events: string[] = [];
  installTracer(listingTracer(events));
  await traced('good', async () => {});
  const failure = Object.assign(new Error('The text “secret” is too long.'), { code: 'text_too_long' });
  await assert.rejects(
    traced('bad', () => Promise.reject(failure)),
    failure,
  );
  assert.throws(() =>
    tracedSync('worse', () => {
      throw new TypeError('secret');
    }),
  );
  assert.deepEqual(events, [
    'good ended',
    'bad failed text_too_long',
    'bad ended',
    'worse failed TypeError',
    'worse ended',
  ]);
});

test('the recorded form of an error never has its message', () => {
  assert.equal(errorTypeOf(new Error('secret words')), 'Error');
  assert.equal(errorTypeOf({ code: 'two words' }), 'object');
  assert.equal(errorTypeOf('secret'), 'string');
  assert.equal(errorTypeOf(null), 'object');
});
