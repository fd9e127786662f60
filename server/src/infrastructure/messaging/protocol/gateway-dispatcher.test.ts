import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_DISPATCH_POLICY } from './dispatch-policy.ts';
import { type DispatchTask, GatewayDispatcher, type GatewayEffect } from './gateway-dispatcher.ts';
import { type Heartbeat, PROTOCOL_VERSION } from './messages.ts';

const { heartbeatMs, workerLostMs, allWorkersLostMs, keepAliveMs } = DEFAULT_DISPATCH_POLICY;
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
function openTask() {
  const dispatcher = new GatewayDispatcher({ policy: DEFAULT_DISPATCH_POLICY, version: VERSION });
  for (const id of ['one', 'two']) dispatcher.heartbeat(id, heartbeatOf(id), 0);
  const attempts: string[] = [];
  const apply = (effects: readonly GatewayEffect[]) => {
    for (const effect of effects) if (effect.type === 'attempt') attempts.push(effect.workerId);
  };
  apply(dispatcher.open(TASK, 0));
  return { dispatcher, attempts, apply };
}

test('a worker that falls silent loses its task to another one', () => {
  const { dispatcher, attempts, apply } = openTask();
  const [stopped] = attempts;
  const other = stopped === 'one' ? 'two' : 'one';
  for (let ms = 0; ms <= workerLostMs + heartbeatMs; ms += keepAliveMs / 2) {
    apply(dispatcher.heartbeat(other, heartbeatOf(other), ms));
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
  for (const id of ['one', 'two']) apply(dispatcher.heartbeat(id, heartbeatOf(id), nowMs));
  apply(dispatcher.tick(nowMs + keepAliveMs / 2));
  assert.equal(attempts.length, 1);
  assert.equal(dispatcher.presence.workers().length, 2);
});

test('while all workers are silent, their tasks stay with them for longer', () => {
  const { dispatcher, attempts, apply } = openTask();
  for (let ms = 0; ms < allWorkersLostMs; ms += keepAliveMs / 2) apply(dispatcher.tick(ms));
  assert.equal(dispatcher.presence.workers().length, 2);
  // The network is back: the task continues where it was.
  for (const id of ['one', 'two']) apply(dispatcher.heartbeat(id, heartbeatOf(id), allWorkersLostMs));
  apply(dispatcher.tick(allWorkersLostMs));
  assert.equal(attempts.length, 1);
  for (let ms = allWorkersLostMs; ms <= 3 * allWorkersLostMs; ms += keepAliveMs / 2)
    apply(dispatcher.tick(ms));
  assert.equal(dispatcher.presence.workers().length, 0);
});
