import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { VoiceUses } from './voice-uses.ts';

function setup({ isBroken = false } = {}) {
  const writes: Record<string, number>[] = [];
  const problems: string[] = [];
  const uses = new VoiceUses({
    store: {
      addUses: async (counts) => {
        if (isBroken) throw new Error('no database');
        writes.push(Object.fromEntries(counts));
      },
    },
    onProblem: (voiceId) => problems.push(voiceId),
    writeAfterMs: 10,
  });
  return { uses, writes, problems };
}

test('uses of requests that arrive at once are one write', async () => {
  const { uses, writes } = setup();
  for (let request = 0; request < 5; request++) uses.count(['a']);
  uses.count(['a', 'b']);
  assert.deepEqual(writes, []);
  await sleep(50);
  assert.deepEqual(writes, [{ a: 6, b: 1 }]);
  uses.count(['b']);
  await sleep(50);
  assert.deepEqual(writes, [{ a: 6, b: 1 }, { b: 1 }]);
});

test('a write on demand includes everything that was counted, and is not repeated', async () => {
  const { uses, writes } = setup();
  uses.count(['a']);
  await uses.write();
  await uses.write();
  await sleep(50);
  assert.deepEqual(writes, [{ a: 1 }]);
});

test('a failed write is reported', async () => {
  const { uses, problems } = setup({ isBroken: true });
  uses.count(['a', 'b']);
  await uses.write();
  assert.deepEqual(problems, ['a', 'b']);
});
