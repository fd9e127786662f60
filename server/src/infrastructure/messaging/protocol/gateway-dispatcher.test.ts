import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_DISPATCH_POLICY } from './dispatch-policy.ts';
import type { DispatchTask, GatewayEffect } from './dispatch-task.ts';
import { GatewayDispatcher } from './gateway-dispatcher.ts';
import { type Heartbeat, PROTOCOL_VERSION } from './messages.ts';

const { heartbeatMs, suspectMs, workerLostMs, allWorkersLostMs, keepAliveMs } = DEFAULT_DISPATCH_POLICY;
const TICK_MS = 50;
const VERSION = '1.0.0';
const TASK: DispatchTask = {
  id: '1',
  kind: 'speech',
  key: 'voice',
  payload: new Uint8Array(0),
  hasInput: false,
  deadlineMs: 60_000,
  waitMs: 60_000,
};

function heartbeatOf(boot: string): Heartbeat {
  const kind = { kind: 'speech', slots: 8, openTasks: 0, processes: 1, engines: [] } as const;
  return { boot, protocol: PROTOCOL_VERSION, version: VERSION, isDraining: false, kinds: [kind] };
}

/** A dispatcher with two workers and a task on one of them. */
function openTask(options: Partial<DispatchTask> = {}) {
  const dispatcher = new GatewayDispatcher({ policy: DEFAULT_DISPATCH_POLICY, version: VERSION });
  for (const id of ['one', 'two']) dispatcher.receiveHeartbeat(id, heartbeatOf(id), 0);
  const attempts: string[] = [];
  const events: number[] = [];
  const sent: string[] = [];
  const apply = (effects: readonly GatewayEffect[]) => {
    for (const effect of effects) {
      if (effect.type === 'attempt') attempts.push(effect.workerId);
      if (effect.type === 'event') events.push(effect.payload[0] ?? 0);
      if (effect.type === 'send' && effect.message.type !== 'grant')
        sent.push(`${effect.message.type} ${effect.message.attempt} ${effect.workerId}`);
    }
  };
  apply(dispatcher.open({ ...TASK, ...options }, 0));
  return { dispatcher, attempts, events, sent, apply };
}

/** A hedged task with three events of a worker that then falls silent until it is suspected. */
function openSuspectedTask() {
  const opened = openTask({ isHedged: true });
  const { dispatcher, attempts, apply } = opened;
  const [stopped = ''] = attempts;
  const other = stopped === 'one' ? 'two' : 'one';
  const sendEvent = (workerId: string, attempt: number, seq: number, nowMs: number) => {
    const payload = Uint8Array.of(seq);
    apply(dispatcher.receive(workerId, { type: 'event', task: TASK.id, attempt, seq, payload }, nowMs));
  };
  for (const seq of [1, 2, 3]) sendEvent(stopped, 1, seq, 0);
  let nowMs = 0;
  for (; nowMs <= suspectMs + TICK_MS; nowMs += TICK_MS) {
    apply(dispatcher.receiveHeartbeat(other, heartbeatOf(other), nowMs));
    apply(dispatcher.tick(nowMs));
  }
  return { ...opened, stopped, other, sendEvent, nowMs };
}

test('a worker that falls silent loses its task to another one', () => {
  const { dispatcher, attempts, apply } = openTask();
  const [stopped] = attempts;
  const other = stopped === 'one' ? 'two' : 'one';
  for (let ms = 0; ms <= workerLostMs + heartbeatMs; ms += keepAliveMs / 2) {
    apply(dispatcher.receiveHeartbeat(other, heartbeatOf(other), ms));
    apply(dispatcher.tick(ms));
  }
  assert.deepEqual(attempts, [stopped, other]);
});

test('a gateway that was suspended itself does not consider its workers lost', () => {
  const { dispatcher, attempts, apply } = openTask();
  apply(dispatcher.tick(0));
  // The process continues: its timers run before it reads the heartbeats of the meantime.
  const nowMs = 10 * workerLostMs;
  apply(dispatcher.tick(nowMs));
  for (const id of ['one', 'two']) apply(dispatcher.receiveHeartbeat(id, heartbeatOf(id), nowMs));
  apply(dispatcher.tick(nowMs + keepAliveMs / 2));
  assert.equal(attempts.length, 1);
  assert.equal(dispatcher.presence.workers().length, 2);
});

test('while all workers are silent, their tasks stay with them for longer', () => {
  const { dispatcher, attempts, apply } = openTask();
  for (let ms = 0; ms < allWorkersLostMs; ms += keepAliveMs / 2) apply(dispatcher.tick(ms));
  assert.equal(dispatcher.presence.workers().length, 2);
  // The network is back: the task continues where it was.
  for (const id of ['one', 'two']) apply(dispatcher.receiveHeartbeat(id, heartbeatOf(id), allWorkersLostMs));
  apply(dispatcher.tick(allWorkersLostMs));
  assert.equal(attempts.length, 1);
  for (let ms = allWorkersLostMs; ms <= 3 * allWorkersLostMs; ms += keepAliveMs / 2)
    apply(dispatcher.tick(ms));
  assert.equal(dispatcher.presence.workers().length, 0);
});

test('a hedged task continues on a second worker when that one is ahead of the suspected one', () => {
  const { sent, attempts, events, stopped, other, sendEvent, nowMs } = openSuspectedTask();
  assert.deepEqual(sent, [`start 1 ${stopped}`, `start 2 ${other}`]);
  for (const seq of [1, 2, 3]) sendEvent(other, 2, seq, nowMs);
  assert.deepEqual([attempts, events], [[stopped], [1, 2, 3]]);
  sendEvent(other, 2, 4, nowMs);
  assert.deepEqual(
    [attempts, events],
    [
      [stopped, other],
      [1, 2, 3, 1, 2, 3, 4],
    ],
  );
  assert.deepEqual(sent.slice(2), [`cancel 1 ${stopped}`]);
  // A late event of the first attempt is fenced off.
  sendEvent(stopped, 1, 4, nowMs);
  assert.equal(events.length, 7);
});

test('a suspected worker that is heard again keeps its task', () => {
  const { dispatcher, apply, sent, attempts, events, stopped, other, sendEvent, nowMs } = openSuspectedTask();
  sendEvent(other, 2, 1, nowMs);
  sendEvent(stopped, 1, 4, nowMs);
  apply(dispatcher.tick(nowMs));
  assert.deepEqual([attempts, events], [[stopped], [1, 2, 3, 4]]);
  assert.deepEqual(sent.slice(2), [`cancel 2 ${other}`]);
  assert.deepEqual(
    dispatcher.presence
      .workers()
      .map(({ tasks }) => tasks.get('speech'))
      .sort(),
    [0, 1],
  );
});

test('when the suspected worker is lost, what the second one has made so far is delivered', () => {
  const { dispatcher, apply, attempts, events, stopped, other, sendEvent, nowMs } = openSuspectedTask();
  sendEvent(other, 2, 1, nowMs);
  apply(dispatcher.handleNoResponder(stopped, nowMs));
  assert.deepEqual(
    [attempts, events],
    [
      [stopped, other],
      [1, 2, 3, 1],
    ],
  );
});

test('without another worker that is heard, a task is not hedged', () => {
  const { dispatcher, attempts, sent, apply } = openTask({ isHedged: true });
  for (let ms = 0; ms <= workerLostMs; ms += TICK_MS) apply(dispatcher.tick(ms));
  assert.deepEqual(sent, [`start 1 ${attempts[0]}`]);
});

test('a new task avoids a suspected worker', () => {
  const { dispatcher, apply, attempts, other, nowMs } = openSuspectedTask();
  for (const id of ['2', '3', '4']) apply(dispatcher.open({ ...TASK, id }, nowMs));
  assert.deepEqual(attempts.slice(1), [other, other, other]);
});
