import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { ApiError } from '../../../errors.ts';
import { type TaskTurns, TurnScheduler } from './turn-scheduler.ts';

let cpuSeconds: number;
let scheduler: TurnScheduler;
/** The names of the steps, in the order in which they ran. */
let order: string[];

beforeEach(() => {
  cpuSeconds = 0;
  order = [];
  scheduler = new TurnScheduler({ cpuSeconds: () => cpuSeconds, nowMs: () => cpuSeconds * 1000 });
});

function openFile(accountId: string, cpuSecondsMax?: number): TaskTurns {
  return scheduler.open({ isLive: false, accountId, cpuSecondsMax });
}

function openLive(accountId = 'live'): TaskTurns {
  return scheduler.open({ isLive: true, accountId });
}

/** A step that takes `seconds` of CPU time, and runs `during` in its course. */
function stepOf(name: string, seconds: number, during: () => void = () => {}) {
  return async () => {
    order.push(name);
    during();
    await nextTick();
    cpuSeconds += seconds;
  };
}

/** Transcribes segments one after the other; a segment is a turn of `steps` steps. */
async function transcribe(
  turns: TaskTurns,
  name: string,
  options: { readonly segments: number; readonly steps?: number; readonly stepSeconds?: number },
): Promise<void> {
  const { segments, steps = 1, stepSeconds = 0.1 } = options;
  for (let segment = 0; segment < segments; segment++) {
    await turns.takeTurn(async (runStep) => {
      for (let step = 0; step < steps; step++) await runStep(stepOf(name, stepSeconds));
    });
  }
}

test('a live segment interrupts the segment of a file after its current step', async () => {
  const [file, live] = [openFile('a'), openLive()];
  let liveDone: Promise<void> | undefined;
  await file.takeTurn(async (runStep) => {
    await runStep(
      stepOf('file 1', 0.1, () => {
        liveDone = transcribe(live, 'live', { segments: 1, steps: 3 });
      }),
    );
    await runStep(stepOf('file 2', 0.1));
    await runStep(stepOf('file 3', 0.1));
  });
  await liveDone;
  assert.deepEqual(order, ['file 1', 'live', 'live', 'live', 'file 2', 'file 3']);
});

test('live audio runs before the queued segments of all files', async () => {
  const files = ['a', 'b', 'c'].map((accountId) => openFile(accountId));
  const live = openLive();
  const work = files.map((file, index) => transcribe(file, `file ${index}`, { segments: 1 }));
  work.push(transcribe(live, 'live', { segments: 1 }));
  await Promise.all(work);
  assert.deepEqual(order, ['live', 'file 0', 'file 1', 'file 2']);
});

test('a file makes progress while live tasks are always busy', async () => {
  const file = openFile('a');
  const [one, two] = [openLive('b'), openLive('c')];
  const liveWork = [one, two].map((live) => transcribe(live, 'live', { segments: 20, steps: 2 }));
  await transcribe(file, 'file', { segments: 1, steps: 2 });
  const runBeforeFile = order.filter((name) => name === 'live').length;
  await Promise.all(liveWork);
  assert.ok(runBeforeFile < 40, `${runBeforeFile} live steps ran before the file ended`);
  // The first step waits for one second of live work, which is 10 steps.
  assert.ok(order.indexOf('file') >= 9, 'live steps come first');
});

test('files of two accounts alternate by segment, whatever the number of files of each', async () => {
  const files = ['a', 'a', 'a', 'b'].map((accountId) => ({ accountId, turns: openFile(accountId) }));
  await Promise.all(files.map(({ accountId, turns }) => transcribe(turns, accountId, { segments: 4 })));
  assert.deepEqual(order.slice(0, 8), ['a', 'b', 'a', 'b', 'a', 'b', 'a', 'b']);
});

test('the files of one account alternate by segment', async () => {
  const [one, two] = [openFile('a'), openFile('a')];
  await Promise.all([transcribe(one, '1', { segments: 3 }), transcribe(two, '2', { segments: 3 })]);
  assert.deepEqual(order, ['1', '2', '1', '2', '1', '2']);
});

test('a segment of a file is complete before that of another file', async () => {
  const [one, two] = [openFile('a'), openFile('b')];
  await Promise.all([
    transcribe(one, '1', { segments: 1, steps: 3 }),
    transcribe(two, '2', { segments: 1, steps: 3 }),
  ]);
  assert.deepEqual(order, ['1', '1', '1', '2', '2', '2']);
});

test('voice activity detection of a long silence gets half of the time beside a segment of another account', async () => {
  const [silence, speech] = [openFile('silence'), openFile('speech')];
  let isDone = false;
  const scan = async () => {
    while (!isDone) await silence.runStep(stepOf('silence', 0.1));
  };
  const scanned = scan();
  await transcribe(speech, 'speech', { segments: 2, steps: 20 });
  isDone = true;
  await scanned;
  const silent = order.filter((name) => name === 'silence').length;
  assert.ok(silent >= 35 && silent <= 45, `${silent} steps of the silence beside 40 steps of speech`);
});

test('decoding counts as used time', async () => {
  const [decoding, ...others] = ['a', 'b', 'c'].map((accountId) => openFile(accountId));
  decoding!.addCpuSeconds(0.35);
  const work = others.map((other, index) => transcribe(other, `${index}`, { segments: 3 }));
  work.push(transcribe(decoding!, 'decoding', { segments: 1 }));
  await Promise.all(work);
  assert.deepEqual(order, ['0', '1', '0', '1', '0', '1', 'decoding']);
});

test('an account that was idle has no unlimited credit', async () => {
  const [busy, idle] = [openFile('a'), openFile('b')];
  await transcribe(busy, 'busy', { segments: 600 });
  order = [];
  await Promise.all([transcribe(busy, 'busy', { segments: 5 }), transcribe(idle, 'idle', { segments: 80 })]);
  assert.ok(order.indexOf('busy', 1) <= 55, `the second turn comes after ${order.indexOf('busy', 1)} others`);
});

test('a task above its CPU time fails with audio_too_costly and frees its turn', async () => {
  const [costly, other] = [openFile('a', 1), openFile('b')];
  await assert.rejects(
    transcribe(costly, 'costly', { segments: 1, steps: 100 }),
    (error: unknown) => error instanceof ApiError && error.code === 'audio_too_costly',
  );
  assert.ok(order.length <= 12, `${order.length} steps`);
  await transcribe(other, 'other', { segments: 1 });
  assert.equal(order.at(-1), 'other');
});

test('a failed step frees the worker', async () => {
  const [one, two] = [openFile('a'), openLive()];
  await assert.rejects(
    one.takeTurn((runStep) =>
      runStep(async () => {
        throw new Error('inference failed');
      }),
    ),
  );
  await transcribe(two, 'live', { segments: 1 });
  assert.deepEqual(order, ['live']);
});
