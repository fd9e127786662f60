import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { JobQueue, type ScheduledJob } from './job-queue.ts';

/** A job with `steps` steps of one second of audio each, which logs its name at each step. */
function job(
  id: number,
  options: {
    name: string;
    dueAtMs: number;
    steps: number;
    log: string[];
    failAt?: number;
    isFirstAudio?: boolean;
    accountId?: string;
  },
): ScheduledJob {
  let done = 0;
  return {
    id,
    dueAtMs: options.dueAtMs,
    isFirstAudio: options.isFirstAudio ?? false,
    accountId: options.accountId ?? 'a',
    async step() {
      if (done === options.failAt) throw new Error('broken');
      if (done === options.steps) return { done: true, value: undefined };
      done++;
      return { done: false, value: { samples: new Float32Array(1000).fill(0.1), sampleRateHz: 1000 } };
    },
    onAudio: () => options.log.push(options.name),
    onEnd: () => options.log.push(`${options.name} ended`),
    onError: () => options.log.push(`${options.name} failed`),
  };
}

async function untilLogged(
  log: string[],
  count: number,
  pause: (ms: number) => Promise<unknown> = () => nextTurn(),
): Promise<void> {
  for (let turn = 0; turn < 1000 && log.length < count; turn++) await pause(1);
}

test('jobs with equal due times alternate in order of arrival', async () => {
  const log: string[] = [];
  const queue = new JobQueue({ yieldToEvents: () => nextTurn() });
  queue.add(job(1, { name: 'a', dueAtMs: 0, steps: 2, log }));
  queue.add(job(2, { name: 'b', dueAtMs: 0, steps: 2, log }));
  await untilLogged(log, 6);
  assert.deepEqual(log, ['a', 'b', 'a', 'b', 'a ended', 'b ended']);
});

test('a step without audio does not block other jobs, and its time counts for the next audio', async () => {
  const log: string[] = [];
  const queue = new JobQueue({ yieldToEvents: () => nextTurn() });
  const steps = [0, 1000].map((length) => ({ samples: new Float32Array(length), sampleRateHz: 1000 }));
  let workSeconds = 0;
  queue.add({
    ...job(1, { name: 'late', dueAtMs: 0, steps: 0, log }),
    async step() {
      const value = steps.shift();
      if (value === undefined) return { done: true, value };
      await sleep(10);
      return { done: false, value };
    },
    onAudio: (_, seconds) => {
      log.push('late');
      workSeconds = seconds;
    },
  });
  queue.add(job(2, { name: 'b', dueAtMs: -1, steps: 1, log }));
  await untilLogged(log, 4, sleep);
  assert.deepEqual(log.slice(0, 2), ['b', 'late']);
  assert.ok(workSeconds > 0.018);
});

test('a job with an earlier due time runs before one with buffered audio', async () => {
  const log: string[] = [];
  const queue = new JobQueue({ yieldToEvents: () => nextTurn() });
  queue.add(job(1, { name: 'ahead', dueAtMs: 5000, steps: 2, log }));
  queue.add(job(2, { name: 'new', dueAtMs: 1000, steps: 2, log }));
  await untilLogged(log, 6);
  // The first step started before the second job arrived.
  assert.deepEqual(log, ['ahead', 'new', 'new', 'new ended', 'ahead', 'ahead ended']);
});

test('a new stream runs before streams with buffered audio, and after one close to an underrun', async () => {
  for (const [leftMs, order] of [
    [60_000, ['new', 'new ended', 'old', 'old ended']],
    [-1, ['old', 'new', 'old ended', 'new ended']],
  ] as const) {
    const log: string[] = [];
    const queue = new JobQueue({ yieldToEvents: () => nextTurn() });
    queue.add(job(1, { name: 'busy', dueAtMs: 0, steps: 1, log }));
    queue.add(job(2, { name: 'old', dueAtMs: Date.now() + leftMs, steps: 1, log }));
    queue.add(job(3, { name: 'new', dueAtMs: Date.now(), steps: 1, log, isFirstAudio: true }));
    await untilLogged(log, 6);
    assert.deepEqual(
      log.filter((entry) => !entry.startsWith('busy')),
      order,
    );
  }
});

test('an utterance that is decoded ends before others continue', async () => {
  const log: string[] = [];
  const queue = new JobQueue({ yieldToEvents: () => nextTurn() });
  const decoded = job(1, { name: 'decoded', dueAtMs: 5000, steps: 1, log });
  queue.add({
    ...decoded,
    async step() {
      const result = await decoded.step();
      return result.done ? result : { done: false, value: { ...result.value, endsDecoding: true } };
    },
  });
  queue.add(job(2, { name: 'urgent', dueAtMs: 0, steps: 1, log }));
  await untilLogged(log, 4);
  assert.deepEqual(log, ['decoded', 'decoded ended', 'urgent', 'urgent ended']);
});

test('silence at the end of audio does not postpone the due time of the next audio', async () => {
  const log: string[] = [];
  const queue = new JobQueue({ yieldToEvents: () => nextTurn() });
  /** A job whose steps have this many samples of speech, then silence, of 1000. */
  const withSpeech = (inner: ScheduledJob, ...lengths: number[]): ScheduledJob => ({
    ...inner,
    async step() {
      const result = await inner.step();
      if (result.done) return result;
      const samples = new Float32Array(1000).fill(0.1, 0, lengths.shift() ?? 1000);
      return { done: false, value: { ...result.value, samples } };
    },
  });
  queue.add(withSpeech(job(1, { name: 'spoken', dueAtMs: 0, steps: 2, log })));
  queue.add(withSpeech(job(2, { name: 'pausing', dueAtMs: 400, steps: 3, log }), 500, 0));
  await untilLogged(log, 7);
  // The second audio of one is due after 1000 ms, the second and third of the other after 900 ms.
  assert.deepEqual(log.slice(0, 4), ['spoken', 'pausing', 'pausing', 'pausing']);
});

test('a removed job gives no further audio, and the others continue', async () => {
  const log: string[] = [];
  const queue = new JobQueue({ yieldToEvents: () => nextTurn() });
  queue.add(job(1, { name: 'a', dueAtMs: 0, steps: 5, log }));
  queue.add(job(2, { name: 'b', dueAtMs: 0, steps: 1, log }));
  assert.equal(queue.remove(1), true);
  assert.equal(queue.remove(1), false);
  await untilLogged(log, 2);
  await nextTurn();
  assert.deepEqual(log, ['b', 'b ended']);
});

test('a failed job gets one error and does not stop the queue', async () => {
  const log: string[] = [];
  const queue = new JobQueue({ yieldToEvents: () => nextTurn() });
  queue.add(job(1, { name: 'bad', dueAtMs: 0, steps: 3, failAt: 1, log }));
  queue.add(job(2, { name: 'good', dueAtMs: 0, steps: 1, log }));
  await untilLogged(log, 4);
  assert.deepEqual(log.sort(), ['bad', 'bad failed', 'good', 'good ended']);
});

test('new streams are served in turn by account', async () => {
  const log: string[] = [];
  const queue = new JobQueue({ yieldToEvents: () => nextTurn() });
  const add = (id: number, accountId: string) => {
    const options = {
      name: `${accountId}${id}`,
      accountId,
      isFirstAudio: true,
      dueAtMs: Date.now() - 60_000,
    };
    queue.add(job(id, { ...options, steps: 1, log }));
  };
  for (let id = 1; id <= 5; id++) add(id, 'flood');
  add(6, 'other');
  await untilLogged(log, 12);
  const first = log.filter((entry) => !entry.endsWith('ended'));
  assert.deepEqual(first, ['flood1', 'other6', 'flood2', 'flood3', 'flood4', 'flood5']);
});

test('a new stream does not wait for late streams of an account that has more of them', async () => {
  const log: string[] = [];
  const queue = new JobQueue({ yieldToEvents: () => nextTurn() });
  const late = { dueAtMs: Date.now() - 60_000, steps: 3, log };
  for (let id = 1; id <= 3; id++) queue.add(job(id, { ...late, name: `flood${id}`, accountId: 'flood' }));
  const isNew = { isFirstAudio: true, dueAtMs: Date.now(), steps: 1, log };
  queue.add(job(4, { ...isNew, name: 'other', accountId: 'other' }));
  queue.add(job(5, { ...isNew, name: 'new flood', accountId: 'flood' }));
  await untilLogged(log, 16);
  assert.equal(log.indexOf('other'), 1);
  assert.ok(log.indexOf('new flood') > 5, `${log}`);
});

test('each step is reported before it runs, and the end of the last one', async () => {
  const log: string[] = [];
  const steps: (number | undefined)[] = [];
  const queue = new JobQueue({ yieldToEvents: () => nextTurn(), onStep: (id) => steps.push(id) });
  queue.add(job(7, { name: 'a', dueAtMs: 0, steps: 2, log }));
  await untilLogged(log, 3);
  await nextTurn();
  await nextTurn();
  assert.deepEqual(steps, [7, 7, 7, undefined]);
});
