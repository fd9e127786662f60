import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { installTracer, runInSpan, startSpan, traced } from '../../../tracing/tracing.ts';
import { JobSpans, recordSpans } from './recording-tracer.ts';

after(() => installTracer(undefined));

test('spans of interleaved jobs are recorded below their own job', async () => {
  recordSpans();
  const jobs = ['a', 'b'].map((name) => ({ name, spans: new JobSpans('job', { name }) }));
  await Promise.all(
    jobs.map(({ name, spans }) =>
      runInSpan(spans.root, () =>
        traced(`outer ${name}`, async () => {
          await nextTurn();
          await traced(`inner ${name}`, async () => nextTurn());
        }),
      ),
    ),
  );
  for (const { name, spans } of jobs) {
    const records = spans.records();
    assert.deepEqual(
      records.map((record) => [record.name, record.parent]),
      [
        ['job', undefined],
        [`outer ${name}`, 0],
        [`inner ${name}`, 1],
      ],
    );
    for (const { startMs, endMs } of records) assert.ok(endMs >= startMs);
  }
});

test('work outside a job gives no spans, and a job has a bounded number of them', () => {
  recordSpans();
  startSpan('nowhere').end();
  const job = new JobSpans('job', {});
  runInSpan(job.root, () => {
    for (let index = 0; index < 5000; index++) startSpan('step').end();
  });
  assert.equal(job.records().length, 2000);
});

test('a failed span has the class of its error', async () => {
  recordSpans();
  const job = new JobSpans('job', {});
  await assert.rejects(
    runInSpan(job.root, () => traced('step', () => Promise.reject(new RangeError('secret')))),
  );
  assert.equal(job.records()[1]?.error, 'RangeError');
  assert.ok(!JSON.stringify(job.records()).includes('secret'));
});
