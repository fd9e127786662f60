import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApiError } from '../../../errors.ts';
import { Admission, type AdmissionSettings, type AdmissionTicket } from './admission.ts';

const NEVER = new AbortController().signal;

function setup(settings: Partial<AdmissionSettings> = {}) {
  const admission = new Admission({ startingMax: 4, queueMax: 1000, queueMs: 60_000, ...settings });
  const entered: string[] = [];
  const tickets = new Map<string, AdmissionTicket>();
  const refused: string[] = [];
  /** Requests admission as `account/key#number`. */
  const enter = (name: string, concurrencyMax = 100, signal = NEVER) => {
    const [accountId = '', keyId = ''] = name.split(/[/#]/);
    return admission.acquire({ accountId, keyId, concurrencyMax }, signal).then(
      (ticket) => {
        entered.push(name);
        tickets.set(name, ticket);
      },
      (error: unknown) => {
        refused.push(`${name} ${error instanceof ApiError ? error.code : 'aborted'}`);
      },
    );
  };
  const leave = async (name: string) => {
    tickets.get(name)?.release();
    await nextTurn();
  };
  return { enter, leave, entered, tickets, refused };
}

test('200 requests of one account do not delay a single request of another by more than one admission', async () => {
  const { enter, leave, entered } = setup({ startingMax: 2 });
  for (let number = 0; number < 200; number += 1) void enter(`flood/key#${number}`);
  // A third account occupies the other half of the capacity.
  void enter('busy/key#0');
  void enter('busy/key#1');
  await nextTurn();
  assert.deepEqual(entered, ['flood/key#0', 'busy/key#0']);
  void enter('single/key#0');
  await leave('flood/key#0');
  assert.deepEqual(entered.slice(2), ['single/key#0']);
});

test('an account gets at most half of the capacity', async () => {
  const { enter, entered } = setup({ startingMax: 4 });
  for (let number = 0; number < 5; number += 1) void enter(`flood/key#${number}`);
  void enter('single/key#0');
  await nextTurn();
  assert.deepEqual(entered, ['flood/key#0', 'flood/key#1', 'single/key#0']);
});

test('the queue is served round-robin by account, and within an account by key', async () => {
  const { enter, leave, entered } = setup({ startingMax: 1 });
  const names = ['a/1#0', 'a/1#1', 'a/1#2', 'a/2#0', 'b/1#0', 'c/1#0'];
  for (const name of names) void enter(name);
  await nextTurn();
  for (let turn = 0; turn < names.length; turn += 1) await leave(entered[turn]!);
  assert.equal(entered.length, names.length);
  // An account that was just served comes last.
  assert.deepEqual(
    entered
      .slice(1, 4)
      .map((name) => name[0])
      .sort(),
    ['a', 'b', 'c'],
  );
  assert.ok(entered.indexOf('a/2#0') < entered.indexOf('a/1#2'));
});

test('a started request frees capacity for the next, but still counts as active', async () => {
  const { enter, entered, tickets, leave } = setup({ startingMax: 2 });
  void enter('a/1#0', 2);
  void enter('a/1#1', 2);
  void enter('a/1#2', 2);
  await nextTurn();
  assert.deepEqual(entered, ['a/1#0']);
  tickets.get('a/1#0')?.markStarted();
  await nextTurn();
  assert.deepEqual(entered, ['a/1#0', 'a/1#1']);
  tickets.get('a/1#1')?.markStarted();
  await nextTurn();
  assert.equal(entered.length, 2);
  await leave('a/1#0');
  assert.deepEqual(entered, ['a/1#0', 'a/1#1', 'a/1#2']);
});

test('a request that waits too long is refused with the reason', async () => {
  const { enter, refused } = setup({ queueMs: 20 });
  void enter('a/1#0', 1);
  await enter('a/1#1', 1);
  assert.deepEqual(refused, ['a/1#1 concurrency_exceeded']);
});

test('when the queue is full, the last request of the longest queue is refused', async () => {
  const { enter, refused, entered } = setup({ startingMax: 1, queueMax: 3 });
  for (let number = 0; number < 4; number += 1) void enter(`flood/1#${number}`);
  void enter('single/1#0');
  void enter('flood/1#4');
  await nextTurn();
  assert.deepEqual(entered, ['flood/1#0']);
  assert.deepEqual(refused.sort(), ['flood/1#3 queue_full', 'flood/1#4 queue_full']);
});

test('an aborted request leaves the queue and takes no capacity', async () => {
  const { enter, leave, entered, refused } = setup({ startingMax: 1 });
  const gone = new AbortController();
  void enter('a/1#0');
  void enter('b/1#0', 100, gone.signal);
  void enter('c/1#0');
  await nextTurn();
  gone.abort();
  await leave('a/1#0');
  assert.deepEqual(entered, ['a/1#0', 'c/1#0']);
  assert.deepEqual(refused, ['b/1#0 aborted']);
  await enter('b/1#1', 100, gone.signal);
  assert.equal(refused.length, 2);
});

test('a second release has no effect', async () => {
  const { enter, leave, entered } = setup({ startingMax: 1 });
  for (const name of ['a/1#0', 'b/1#0', 'c/1#0']) void enter(name);
  await nextTurn();
  await leave('a/1#0');
  await leave('a/1#0');
  assert.deepEqual(entered, ['a/1#0', 'b/1#0']);
});
