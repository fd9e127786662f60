import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoadedEngines, LoadedOnce } from './loaded-once.ts';

test('what is loaded is loaded once, however many ask', async () => {
  let loads = 0;
  const value = new LoadedOnce(async () => ++loads);
  assert.equal(value.isLoaded, false);
  assert.deepEqual(await Promise.all([value.get(), value.get()]), [1, 1]);
  assert.equal(await value.get(), 1);
  assert.equal(value.isLoaded, true);
});

test('a failed load is told to all who wait, and tried again by the next', async () => {
  let loads = 0;
  const value = new LoadedOnce(async () => {
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

test('a load that fails before it begins is tried again too', async () => {
  let loads = 0;
  const value = new LoadedOnce(() => {
    if (++loads === 1) throw new Error('no such engine');
    return Promise.resolve(loads);
  });
  await assert.rejects(value.get());
  assert.equal(await value.get(), 2);
});

test('engines are told apart by name, and only those that are ready are named', async () => {
  const engines = new LoadedEngines(async (name: string) => {
    if (name === 'broken') throw new Error(name);
    return name.toUpperCase();
  });
  assert.equal(await engines.get('kokoro'), 'KOKORO');
  await assert.rejects(engines.get('broken'));
  assert.deepEqual(engines.names(), ['kokoro']);
});
