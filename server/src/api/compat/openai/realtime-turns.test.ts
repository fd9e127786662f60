import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SocketBudgets } from '../../websocket/socket-budgets.ts';
import { RealtimeTurns } from './realtime-turns.ts';

test('empty audio, single bytes and commits that a busy session does not take are limited', async () => {
  const budget = new SocketBudgets({ socketMaxBytes: 1e9, accountMaxBytes: 1e9 }).open('a');
  let start = () => {};
  const isAdmitted = new Promise<void>((resolve) => {
    start = resolve;
  });
  const turns = new RealtimeTurns({
    transcribe: async (frames) => {
      await isAdmitted;
      for await (const _ of frames());
    },
    startRequest: {},
    budget,
    send: () => {},
    sendItem: () => {},
    onSpeechStarted: () => {},
  });
  let accepted = 0;
  const inputs = [
    () => turns.append(Buffer.alloc(0)),
    () => turns.append(Buffer.alloc(1)),
    () => turns.commit(),
  ];
  while (accepted < 1_000_000 && inputs[accepted % inputs.length]!()) accepted += 1;
  assert.ok(accepted < 100_000, `${accepted}`);
  start();
  // The session takes what waits, and the socket can send again.
  while (!turns.commit()) await new Promise((resolve) => setImmediate(resolve));
  turns.close();
});
