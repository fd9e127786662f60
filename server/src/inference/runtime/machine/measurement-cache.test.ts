import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { z } from 'zod';
import { listMeasurements, loadOrMeasure, removeMeasurements } from './measurement-cache.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mynah-record-'));
});
after(() => rm(folder, { recursive: true }));

test('a machine is measured once, and again when the file is damaged or the conditions differ', async () => {
  let measurements = 0;
  const speed = (threads: number) =>
    loadOrMeasure({ folder, conditions: [threads], schema: z.object({ count: z.number() }) }, async () => ({
      count: ++measurements,
    }));
  assert.deepEqual([await speed(1), await speed(1)], [{ count: 1 }, { count: 1 }]);
  assert.deepEqual(await speed(2), { count: 2 });
  const names = await readdir(folder);
  assert.equal(names.length, 2);
  for (const name of names) await writeFile(join(folder, name), '{"count":');
  assert.deepEqual(await speed(1), { count: 3 });
});

test('a measurement on a busy machine is recorded as such, and is repeated after its removal', async () => {
  const own = join(folder, 'busy');
  const measure = (count: number, isBusy: boolean) =>
    loadOrMeasure(
      { folder: own, conditions: [], schema: z.number() },
      async () => count,
      async () => isBusy,
    );
  assert.deepEqual(await listMeasurements(own), []);
  assert.equal(await measure(1, true), 1);
  await writeFile(join(own, 'other.json'), '{}');
  assert.deepEqual(
    (await listMeasurements(own)).map(({ wasBusy }) => wasBusy),
    [true],
  );
  assert.equal(await removeMeasurements(own), 1);
  assert.deepEqual(await readdir(own), ['other.json']);
  assert.equal(await measure(2, false), 2);
  assert.deepEqual(
    (await listMeasurements(own)).map(({ wasBusy }) => wasBusy),
    [false],
  );
});
