import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Capacity } from './capacity.ts';
import type { PieceEvent } from './piece-synthesizer.ts';

const { signal } = new AbortController();

/** Two workers, and an engine of which eight streams use 80 % of the workers. */
function measured(waitMs = 60_000): Capacity {
  const capacity = new Capacity({ workers: 2, utilisationMax: 0.85, waitMs });
  capacity.recordCost('slow', { audioSeconds: 1000, workSeconds: 200 });
  return capacity;
}

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  return (await Promise.race([promise.then(() => 'done'), sleep(5, 'pending')])) === 'pending';
}

test('streams are admitted up to the utilisation limit; the next is queued until one ends', async () => {
  const capacity = measured();
  const inside = await Promise.all(Array.from({ length: 8 }, () => capacity.admit('slow', signal)));
  assert.ok(Math.abs(capacity.utilisation - 0.8) < 0.01, `${capacity.utilisation}`);
  const next = capacity.admit('slow', signal);
  assert.ok(await isPending(next));
  inside[0]!();
  inside[0]!();
  const leave = await next;
  assert.ok(Math.abs(capacity.utilisation - 0.8) < 0.01);
  for (const each of [leave, ...inside.slice(1)]) each();
  assert.equal(capacity.utilisation, 0);
});

test('queued streams are admitted in order, whatever their cost', async () => {
  const capacity = measured();
  capacity.recordCost('quick', { audioSeconds: 1000, workSeconds: 10 });
  const inside = await Promise.all(Array.from({ length: 8 }, () => capacity.admit('slow', signal)));
  const slow = capacity.admit('slow', signal);
  const quick = capacity.admit('quick', signal);
  assert.ok(await isPending(quick));
  inside[0]!();
  await slow;
  await quick;
});

test('a stream is rejected with 429 after the time limit, and an aborted stream leaves the queue', async () => {
  const capacity = measured(30);
  await Promise.all(Array.from({ length: 8 }, () => capacity.admit('slow', signal)));
  await assert.rejects(capacity.admit('slow', signal), { code: 'queue_full', retryAfterSeconds: 1 });
  capacity.recordCost('quick', { audioSeconds: 1000, workSeconds: 10 });
  const abort = new AbortController();
  const slow = capacity.admit('slow', abort.signal);
  const quick = capacity.admit('quick', signal);
  abort.abort(new Error('left'));
  await assert.rejects(slow, { message: 'left' });
  await quick;
});

test('a single stream is admitted even if it cannot be synthesized in real time', async () => {
  const capacity = new Capacity({ workers: 1, utilisationMax: 0.85, waitMs: 5 });
  capacity.recordCost('stock', { audioSeconds: 1000, workSeconds: 3000 });
  const leave = await capacity.admit('stock', signal);
  await assert.rejects(capacity.admit('stock', signal), { code: 'queue_full' });
  leave();
  await capacity.admit('stock', signal);
});

async function* events(count: number): AsyncGenerator<PieceEvent> {
  const planned = { plan: { engine: 'slow' } } as PieceEvent;
  const part = { samples: new Float32Array(24_000), sampleRateHz: 24_000, workSeconds: 0.4 };
  for (let index = 0; index < count; index++) yield { ...planned, kind: 'audio', part };
  yield { ...planned, kind: 'end' } as PieceEvent;
}

test('the cost of an engine is measured from its streams', async () => {
  const capacity = measured();
  for await (const _ of capacity.track(events(600), await capacity.admit('slow', signal)));
  assert.equal(capacity.utilisation, 0);
  await capacity.admit('slow', signal);
  assert.ok(Math.abs(capacity.utilisation - 0.2) < 0.01, `${capacity.utilisation}`);
});

test('a live stream occupies capacity only while one of its pieces is delivered', async () => {
  const capacity = measured();
  const loads: boolean[] = [];
  for await (const _ of capacity.trackLive(events(2))) loads.push(capacity.utilisation > 0);
  assert.deepEqual(loads, [true, true, false]);
});
