import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type GatedUtterance, UtteranceGate } from './utterance-gate.ts';

const NEVER = new AbortController().signal;
const FIRST = { dueAtMs: 0, isFirstAudio: true };
const AHEAD = { dueAtMs: 20_000, isFirstAudio: false };

/** Two workers, and a clock that stands still. */
function setup(isCoreNeeded = () => false) {
  const clock = { nowMs: 0 };
  const gate = new UtteranceGate({ workers: () => 2, isCoreNeeded, now: () => clock.nowMs });
  const passed: string[] = [];
  const ends = new Map<string, () => void>();
  /** The first letter of the name is the account. */
  const enter = (name: string, utterance: Omit<GatedUtterance, 'accountId'>, signal = NEVER) =>
    gate.enter({ accountId: name.charAt(0), ...utterance }, signal).then((end) => {
      passed.push(name);
      ends.set(name, end);
    });
  const enterAll = async (names: readonly string[], utterance: Omit<GatedUtterance, 'accountId'>) => {
    for (const name of names) void enter(name, utterance);
    await settled();
  };
  const end = async (name: string) => {
    ends.get(name)?.();
    await settled();
  };
  return { gate, clock, passed, enter, enterAll, end };
}

const settled = () => new Promise(setImmediate);

test('utterances in advance keep the workers busy, and no more', async () => {
  const { passed, enterAll, end } = setup();
  await enterAll(['a1', 'a2', 'a3', 'a4', 'a5'], AHEAD);
  assert.deepEqual(passed, ['a1', 'a2', 'a3']);
  await end('a2');
  await end('a2');
  assert.deepEqual(passed, ['a1', 'a2', 'a3', 'a4'], 'a turn ends once');
});

test('new streams start at once, and utterances in advance wait for them', async () => {
  const { passed, enterAll, end } = setup();
  await enterAll(['a1', 'a2', 'a3', 'a4'], FIRST);
  await enterAll(['a5'], AHEAD);
  assert.deepEqual(passed, ['a1', 'a2', 'a3', 'a4']);
  await end('a1');
  assert.equal(passed.length, 4);
  await end('a2');
  assert.deepEqual(passed.slice(4), ['a5']);
});

test('with several accounts, utterances in advance leave one worker free, and accounts take turns', async () => {
  const { passed, enterAll, end } = setup();
  await enterAll(['b0'], FIRST);
  await end('b0');
  await enterAll(['a1', 'a2', 'a3', 'b1'], AHEAD);
  assert.deepEqual(passed, ['b0', 'a1']);
  await end('a1');
  await end('a2');
  await end('b1');
  assert.deepEqual(passed, ['b0', 'a1', 'a2', 'b1', 'a3']);
});

test('utterances in advance leave one worker free while other work needs a core; urgent ones do not wait', async () => {
  let isCoreNeeded = true;
  const { passed, enterAll, end } = setup(() => isCoreNeeded);
  await enterAll(['a1', 'a2', 'a3', 'a4'], AHEAD);
  await enterAll(['a5'], { dueAtMs: 1000, isFirstAudio: false });
  assert.deepEqual(passed, ['a1', 'a5']);
  isCoreNeeded = false;
  await end('a1');
  await enterAll(['a6'], AHEAD);
  assert.deepEqual(passed, ['a1', 'a5', 'a2', 'a6']);
});

test('the server itself is not an account', async () => {
  const { gate, passed, enterAll } = setup();
  (await gate.enter({ accountId: '', ...FIRST }, NEVER))();
  await enterAll(['a1', 'a2', 'a3'], AHEAD);
  assert.deepEqual(passed, ['a1', 'a2', 'a3']);
});

test('an account is no longer active after a minute', async () => {
  const { clock, passed, enterAll, end } = setup();
  await enterAll(['b0'], FIRST);
  await end('b0');
  clock.nowMs = 61_000;
  await enterAll(['a1', 'a2', 'a3'], { ...AHEAD, dueAtMs: 81_000 });
  assert.deepEqual(passed, ['b0', 'a1', 'a2', 'a3']);
});

test('an utterance that is due soon does not wait', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { passed, enter, enterAll, end } = setup();
  await enterAll(['a1', 'a2', 'a3', 'a4'], AHEAD);
  await enter('a5', { dueAtMs: 4000, isFirstAudio: false });
  assert.deepEqual(passed, ['a1', 'a2', 'a3', 'a5']);
  context.mock.timers.tick(15_000);
  await settled();
  assert.equal(passed.at(-1), 'a4', 'waited until it was urgent');
  await enterAll(['a6'], AHEAD);
  await end('a4');
  await end('a5');
  assert.equal(passed.at(-1), 'a4', 'urgent utterances hold no turn');
  await end('a1');
  assert.equal(passed.at(-1), 'a6');
});

test('a cancelled utterance leaves the queue', async () => {
  const { passed, enter, enterAll, end } = setup();
  const abort = new AbortController();
  await enterAll(['a1', 'a2', 'a3'], AHEAD);
  const cancelled = enter('a4', AHEAD, abort.signal);
  await enterAll(['a5'], AHEAD);
  abort.abort(new Error('gone'));
  await assert.rejects(cancelled, /gone/);
  await end('a1');
  assert.deepEqual(passed, ['a1', 'a2', 'a3', 'a5']);
  await assert.rejects(enter('a6', AHEAD, abort.signal), /gone/);
});
