import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { SERVER_V8_FLAGS, supportedV8Flags, WORKER_V8_FLAGS } from './v8-flags.ts';

test('flags that this version of Node lacks are left out', async () => {
  const flags = [
    '--no-such-flag=2',
    '--single-threaded-gc',
    '--no-other-missing-flag',
    '--no_memory_reducer',
    '--v8-pool-size=1',
  ];
  assert.deepEqual(await supportedV8Flags(flags), [
    '--single-threaded-gc',
    '--no_memory_reducer',
    '--v8-pool-size=1',
  ]);
});

for (const [name, flags] of Object.entries({ SERVER_V8_FLAGS, WORKER_V8_FLAGS })) {
  test(`Node starts with the supported part of ${name}`, async () => {
    const supported = await supportedV8Flags(flags);
    assert.ok(supported.length > 0);
    assert.equal(spawnSync(process.execPath, [...supported, '-e', '0']).status, 0);
  });
}
