import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SharedCache } from './shared-cache.ts';

const never = new AbortController().signal;

/** Creations that end when the test resolves them. */
function pendingCreations() {
  const created: { signal: AbortSignal; resolve: (value: string) => void }[] = [];
  const create = (signal: AbortSignal) =>
    new Promise<string>((resolve, reject) => {
      created.push({ signal, resolve });
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  return { created, create };
}

test('a creation continues while one call waits, and is aborted when none does', async () => {
  const cache = new SharedCache<string>(2);
  const { created, create } = pendingCreations();
  const [first, second] = [new AbortController(), new AbortController()];
  const left = cache.get('a', first.signal, create);
  const stays = cache.get('a', second.signal, create);
  first.abort(new Error('first left'));
  await assert.rejects(left, { message: 'first left' });
  assert.equal(created[0]?.signal.aborted, false);

  second.abort(new Error('second left'));
  await assert.rejects(stays, { message: 'second left' });
  assert.equal(created[0]?.signal.aborted, true);

  const again = cache.get('a', never, create);
  assert.equal(created.length, 2);
  created[1]?.resolve('voice');
  assert.equal(await again, 'voice');
  assert.equal(await cache.get('a', never, create), 'voice');
  assert.equal(created.length, 2);
});

test('a call with an aborted signal creates nothing', async () => {
  const { created, create } = pendingCreations();
  const signal = AbortSignal.abort(new Error('gone'));
  await assert.rejects(new SharedCache<string>(2).get('a', signal, create), { message: 'gone' });
  assert.equal(created.length, 0);
});
