import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import type { WebSocket } from 'ws';
import { countPartialMessages } from './partial-messages.ts';
import { SocketBudgets } from './socket-budgets.ts';

const KIB = 1024;

/** A socket of one account, without a network. */
function openSocket(budgets: SocketBudgets) {
  const socket = Object.assign(new EventEmitter(), {
    closeCode: undefined as number | undefined,
    close(code: number) {
      this.closeCode = code;
    },
    terminate() {},
  });
  const connection = new EventEmitter();
  const budget = budgets.open('account');
  // The methods that are used exist.
  countPartialMessages(socket as unknown as WebSocket, connection as unknown as Socket, budget);
  return {
    socket,
    budget,
    receive: (bytes: number) => connection.emit('data', Buffer.alloc(bytes)),
  };
}

function openBudgets(): SocketBudgets {
  return new SocketBudgets({ socketMaxBytes: 1024 * KIB, accountMaxBytes: 1024 * KIB });
}

test('incomplete messages of all sockets of an account count together', () => {
  const budgets = openBudgets();
  const [one, two] = [openSocket(budgets), openSocket(budgets)];
  one.receive(600 * KIB);
  two.receive(400 * KIB);
  assert.equal(two.socket.closeCode, undefined);
  two.receive(100 * KIB);
  assert.equal(two.socket.closeCode, 1013);
  two.budget.close();
  one.receive(100 * KIB);
  assert.equal(one.socket.closeCode, undefined, 'the bytes of the closed socket are released');
});

test('a complete message releases its bytes', () => {
  const budgets = openBudgets();
  const [one, two] = [openSocket(budgets), openSocket(budgets)];
  for (let count = 0; count < 10; count++) {
    one.receive(600 * KIB);
    one.socket.emit('message');
    two.receive(20 * KIB);
  }
  assert.equal(one.socket.closeCode, undefined);
  assert.equal(two.socket.closeCode, undefined);
});

test('a ping between fragments does not reset the count', () => {
  const budgets = openBudgets();
  const [one, two] = [openSocket(budgets), openSocket(budgets)];
  one.receive(300 * KIB);
  for (let count = 0; count < 3; count++) {
    two.receive(300 * KIB + 10);
    two.socket.emit('ping', Buffer.alloc(4));
  }
  assert.equal(two.socket.closeCode, 1013);
});

test('pings alone do not add up', () => {
  const budgets = openBudgets();
  const [one, two] = [openSocket(budgets), openSocket(budgets)];
  one.receive(1024 * KIB);
  for (let count = 0; count < 10_000; count++) {
    two.receive(131);
    two.socket.emit('ping', Buffer.alloc(125));
  }
  assert.equal(two.socket.closeCode, undefined);
});

test('a message above the limit can complete on the only socket of an account', () => {
  const { socket, receive } = openSocket(openBudgets());
  for (let count = 0; count < 100; count++) receive(64 * KIB);
  assert.equal(socket.closeCode, undefined);
});
