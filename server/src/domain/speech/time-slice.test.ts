import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { runInSlices } from './time-slice.ts';

const STEP_MS = 4;

/** Work of several steps, each of which uses the CPU for a few milliseconds. */
function* busySteps(count: number, onStep: () => void): Generator<undefined, number> {
  for (let step = 0; step < count; step++) {
    const endsAtMs = performance.now() + STEP_MS;
    while (performance.now() < endsAtMs);
    onStep();
    yield undefined;
  }
  return count;
}

test('the work of one owner leaves the turns of the event loop to others, however many requests it has', async () => {
  let steps = 0;
  const many = Array.from({ length: 20 }, () =>
    runInSlices(
      'many',
      busySteps(4, () => steps++),
    ),
  );
  await nextTurn();
  const stepsAtArrival = steps;
  assert.equal(
    await runInSlices(
      'one',
      busySteps(2, () => {}),
    ),
    2,
  );
  // A slice has time for three steps. The other owner waits for the slice that runs, and for one between its two own.
  assert.ok(stepsAtArrival <= 6, `${stepsAtArrival} steps in the first turn`);
  assert.ok(steps - stepsAtArrival <= 12, `${steps - stepsAtArrival} steps before the other owner`);
  assert.deepEqual(new Set(await Promise.all(many)), new Set([4]));
});

test('an error in a step reaches the caller, and the work of others goes on', async () => {
  const failing = function* (): Generator<undefined, never> {
    yield undefined;
    throw new Error('The text is not valid.');
  };
  const [failed, other] = await Promise.allSettled([
    runInSlices('one', failing()),
    runInSlices(
      'two',
      busySteps(4, () => {}),
    ),
  ]);
  assert.equal(failed.status, 'rejected');
  assert.deepEqual(other, { status: 'fulfilled', value: 4 });
});
