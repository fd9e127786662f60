import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LazyEngines, LazyValue } from './lazy-value.ts';

test('concurrent and later accesses load the value once', async () => {
  let loads = 0;
  const value = new LazyValue(async () => ++loads);
  assert.equal(value.isLoaded, false);
  assert.deepEqual(await Promise.all([value.get(), value.get()]), [1, 1]);
  assert.equal(await value.get(), 1);
  assert.equal(value.isLoaded, true);
});

test('a failed load rejects all waiting accesses and is retried by the next', async () => {
  let loads = 0;
  const value = new LazyValue(async () => {
    if (++loads === 1) throw new Error('no memory');
    return loads;
  });
  const both = await Promise.allSettled([value.get(), value.get()]);
  assert.deepEqual(
    both.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal(value.isLoaded, false);
  assert.equal(await value.get(), 2);
});

test('a load that throws synchronously is retried as well', async () => {
  let loads = 0;
  const value = new LazyValue(() => {
    if (++loads === 1) throw new Error('no such engine');
    return Promise.resolve(loads);
  });
  await assert.rejects(value.get());
  assert.equal(await value.get(), 2);
});

test('engines are loaded by name, and only loaded ones are listed', async () => {
  const engines = new LazyEngines(async (name: string) => {
    if (name === 'broken') throw new Error(name);
    return name.toUpperCase();
  });
  assert.equal(await engines.get('kokoro'), 'KOKORO');
  await assert.rejects(engines.get('broken'));
  assert.deepEqual(engines.names(), ['kokoro']);
});
