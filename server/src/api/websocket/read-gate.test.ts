import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { limitFrameRate, limitOutput, readGateOf } from './read-gate.ts';

/** The part of a socket that a gate uses. */
class TestSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  isPaused = false;
  pings = 0;

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  ping(): void {
    this.pings += 1;
  }

  terminate(): void {
    this.readyState = 3;
    this.emit('close');
  }
}

// The functions under test use only the members of `TestSocket`.
const asWebSocket = (socket: TestSocket) => socket as unknown as WebSocket;

test('reading continues when no reason to pause is left', () => {
  const socket = new TestSocket();
  const gate = readGateOf(asWebSocket(socket));
  gate.pause('unsent output');
  gate.pause('frame rate');
  gate.resume('unsent output');
  assert.equal(socket.isPaused, true);
  gate.resume('frame rate');
  assert.equal(socket.isPaused, false);
});

test('while reading is paused the client is pinged, so that a disconnection is noticed', (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] });
  const socket = new TestSocket();
  const gate = readGateOf(asWebSocket(socket));
  context.mock.timers.tick(5000);
  assert.equal(socket.pings, 0);
  gate.pause('unprocessed input');
  context.mock.timers.tick(5000);
  assert.equal(socket.pings, 5);
  gate.resume('unprocessed input');
  context.mock.timers.tick(5000);
  assert.equal(socket.pings, 5);
});

test('messages and pings above the frame rate are read more slowly', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });
  const socket = new TestSocket();
  limitFrameRate(asWebSocket(socket), { perSecond: 100 });
  for (let frame = 0; frame < 200; frame++) socket.emit(frame % 2 === 0 ? 'message' : 'ping');
  assert.equal(socket.isPaused, false, 'a burst is allowed');
  for (let frame = 0; frame < 50; frame++) socket.emit('message');
  assert.equal(socket.isPaused, true);
  context.mock.timers.tick(600);
  assert.equal(socket.isPaused, false);
  for (let second = 0; second < 10; second++) {
    context.mock.timers.tick(1000);
    for (let frame = 0; frame < 100; frame++) socket.emit('message');
    assert.equal(socket.isPaused, false, 'the allowed rate is not slowed down');
  }
});

for (const { what, bytesPerSecond, isCut } of [
  {
    what: 'reads its output steadily, far below real time, is not disconnected',
    bytesPerSecond: 4000,
    isCut: false,
  },
  { what: 'does not read its output is disconnected', bytesPerSecond: 0, isCut: true },
]) {
  test(`a client that ${what}`, async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });
    const socket = new TestSocket();
    limitOutput(asWebSocket(socket), { stallMs: 60_000 });
    socket.bufferedAmount = 2 ** 22;
    socket.emit('message');
    assert.equal(socket.isPaused, true);
    // 2 ** 22 bytes at this rate are below the limit of 1 MiB after 13 minutes.
    for (let second = 0; second < 900; second++) {
      socket.bufferedAmount = Math.max(0, socket.bufferedAmount - bytesPerSecond);
      context.mock.timers.tick(1000);
      await nextTick();
    }
    assert.equal(socket.readyState !== socket.OPEN, isCut);
    assert.equal(socket.isPaused, isCut, 'reading continues when the output is sent');
  });
}
