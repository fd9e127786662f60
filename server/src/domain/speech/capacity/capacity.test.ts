import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pcm } from '../../../audio/pcm.ts';
import type { PieceEvent } from '../piece-synthesizer.ts';
import { Capacity, type CapacitySettings } from './capacity.ts';
import type { StreamLoad } from './stream-load.ts';

const { signal } = new AbortController();

/** Two workers, and an engine of which eight streams use 80 % of the workers. */
function measured(settings: Partial<CapacitySettings> = {}): Capacity {
  const capacity = new Capacity({ workers: 2, utilisationMax: 0.85, waitMs: 60_000, ...settings });
  capacity.recordCost('slow', { audioSeconds: 1000, workSeconds: 200 });
  return capacity;
}

function admit(capacity: Capacity, engine = 'slow', accountId = 'a'): Promise<StreamLoad> {
  return capacity.admit({ engine, accountId }, signal);
}

function admitMany(capacity: Capacity, count: number, accountId = 'a'): Promise<StreamLoad[]> {
  return Promise.all(Array.from({ length: count }, () => admit(capacity, 'slow', accountId)));
}

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  return (await Promise.race([promise.then(() => 'done'), sleep(5, 'pending')])) === 'pending';
}

/** Audio of `seconds` seconds in chunks of one second. */
async function* audio(seconds: number): AsyncGenerator<Pcm> {
  for (let second = 0; second < seconds; second++) {
    yield { samples: new Float32Array(1000), sampleRateHz: 1000 };
  }
}

test('streams are admitted up to the utilisation limit; the next is queued until one ends', async () => {
  const capacity = measured();
  const inside = await admitMany(capacity, 8);
  assert.ok(Math.abs(capacity.utilisation - 0.8) < 0.01, `${capacity.utilisation}`);
  const next = admit(capacity);
  assert.ok(await isPending(next));
  inside[0]!.release();
  inside[0]!.release();
  const last = await next;
  assert.ok(Math.abs(capacity.utilisation - 0.8) < 0.01);
  for (const each of [last, ...inside]) each.release();
  assert.equal(capacity.utilisation, 0);
});

test('queued streams of an account are admitted in order, whatever their cost', async () => {
  const capacity = measured();
  capacity.recordCost('quick', { audioSeconds: 1000, workSeconds: 10 });
  const inside = await admitMany(capacity, 8);
  const slow = admit(capacity, 'slow');
  const quick = admit(capacity, 'quick');
  assert.ok(await isPending(quick));
  inside[0]!.release();
  await slow;
  await quick;
});

test('a stream is rejected with 429 after the time limit, and an aborted stream leaves the queue', async () => {
  const capacity = measured({ waitMs: 30 });
  await admitMany(capacity, 8);
  await assert.rejects(admit(capacity), { code: 'queue_full', retryAfterSeconds: 1 });
  capacity.recordCost('quick', { audioSeconds: 1000, workSeconds: 10 });
  const abort = new AbortController();
  const slow = capacity.admit({ engine: 'slow', accountId: 'a' }, abort.signal);
  const quick = admit(capacity, 'quick');
  abort.abort(new Error('left'));
  await assert.rejects(slow, { message: 'left' });
  await quick;
});

test('a single stream is admitted even if it cannot be synthesized in real time', async () => {
  const capacity = new Capacity({ workers: 1, utilisationMax: 0.85, waitMs: 5 });
  capacity.recordCost('stock', { audioSeconds: 1000, workSeconds: 3000 });
  const load = await admit(capacity, 'stock');
  await assert.rejects(admit(capacity, 'stock'), { code: 'queue_full' });
  load.release();
  await admit(capacity, 'stock');
});

test('the cost of an engine is measured from its streams', async () => {
  const capacity = measured();
  async function* events(): AsyncGenerator<PieceEvent> {
    const planned = { plan: { engine: 'slow' } } as PieceEvent;
    const part = { samples: new Float32Array(24_000), sampleRateHz: 24_000, workSeconds: 0.4 };
    for (let index = 0; index < 600; index++) yield { ...planned, kind: 'audio', part };
  }
  const load = await admit(capacity);
  for await (const _ of load.measure(events()));
  load.release();
  assert.equal(capacity.utilisation, 0);
  await admit(capacity);
  assert.ok(Math.abs(capacity.utilisation - 0.2) < 0.01, `${capacity.utilisation}`);
});

test('a live stream occupies capacity only while workers synthesize it', () => {
  const capacity = measured();
  const load = capacity.openLive('a');
  assert.equal(capacity.utilisation, 0);
  const finish = load.beginUtterance('slow');
  assert.ok(capacity.utilisation > 0);
  finish();
  finish();
  assert.equal(capacity.utilisation, 0);
});

test('a stream whose reader falls behind real time does not count until it is synthesized again', async () => {
  let nowMs = 0;
  const capacity = measured({ now: () => nowMs });
  const load = await admit(capacity);
  load.beginUtterance('slow')();
  const body = load.follow(audio(10));
  await body.next();
  await body.next();
  nowMs = 2000;
  assert.ok(capacity.utilisation > 0, 'two seconds of audio were read within two seconds');
  nowMs = 2001;
  assert.equal(capacity.utilisation, 0);
  const finish = load.beginUtterance('slow');
  assert.ok(capacity.utilisation > 0);
  finish();
  await body.return(undefined);
});

test('queued streams are admitted when readers fall behind', async () => {
  let nowMs = 0;
  const capacity = measured({ now: () => nowMs });
  for (const load of await admitMany(capacity, 8)) {
    load.beginUtterance('slow')();
    await load.follow(audio(10)).next();
  }
  const next = admit(capacity);
  assert.ok(await isPending(next));
  nowMs = 5000;
  await next;
});

test('an account below its fair share waits at most for urgent streams of an account above its share', async () => {
  const capacity = measured({ now: () => 0 });
  const loads = await admitMany(capacity, 8, 'flood');
  const finishes = loads.map((load) => load.beginUtterance('slow'));
  for (const load of loads) await load.follow(audio(10)).next();
  const queuedFlood = admit(capacity, 'slow', 'flood');
  const others = Array.from({ length: 5 }, () => admit(capacity, 'slow', 'other'));
  await others[0];
  assert.ok(await isPending(others[1]!), 'all workers are busy with urgent streams');
  for (const finish of finishes) finish();
  await Promise.all(others.slice(0, 4));
  assert.ok(await isPending(others[4]!), 'the other account has its share');
  assert.ok(await isPending(queuedFlood), 'the first account is above its share');
});

test('the account with the least load is admitted first', async () => {
  const capacity = measured();
  const [first] = await Promise.all([admit(capacity, 'slow', 'other'), ...(await admitMany(capacity, 7))]);
  const order: string[] = [];
  const queue = ['a', 'a', 'other'].map((account) =>
    admit(capacity, 'slow', account).then(() => order.push(account)),
  );
  assert.ok(await isPending(Promise.race(queue)), 'all streams are urgent');
  first.release();
  await queue[2];
  assert.deepEqual(order, ['other']);
});

test('accounts within their fair share are not admitted above the limit', async () => {
  const capacity = measured();
  for (let account = 0; account < 8; account++) await admit(capacity, 'slow', `account ${account}`);
  assert.ok(await isPending(admit(capacity, 'slow', 'ninth')));
});

test('an account is admitted beside streams of another that turn out to cost more than expected', async () => {
  const capacity = measured();
  await admitMany(capacity, 8, 'flood');
  capacity.recordCost('slow', { audioSeconds: 1000, workSeconds: 1000 });
  assert.ok(capacity.utilisation > 3, `${capacity.utilisation}`);
  await admit(capacity, 'slow', 'other');
});

test('the load never exceeds twice the limit', async () => {
  const capacity = measured();
  await admitMany(capacity, 8, 'flood');
  const others = Array.from({ length: 20 }, (_, index) => admit(capacity, 'slow', `account ${index}`));
  await others[7];
  assert.ok(await isPending(Promise.all(others)));
  assert.ok(capacity.utilisation <= 1.7, `${capacity.utilisation}`);
});

test('an aborted signal releases its stream; a released stream leaves no listener on the signal', async () => {
  const capacity = measured();
  const client = new AbortController();
  const ended = await capacity.admit({ engine: 'slow', accountId: 'a' }, client.signal);
  await capacity.admit({ engine: 'slow', accountId: 'a' }, client.signal);
  ended.release();
  assert.equal(getEventListeners(client.signal, 'abort').length, 1);
  client.abort();
  assert.equal(capacity.streamCount, 0);
  assert.equal(getEventListeners(client.signal, 'abort').length, 0);
});
