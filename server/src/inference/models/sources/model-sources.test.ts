import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createModelSources, parseSourceOrder } from './model-sources.ts';

for (const { order, localFolder, expected } of [
  { order: 'npm,hub', localFolder: undefined, expected: ['built-in', 'npm', 'hub'] },
  { order: ' Hub , npm,hub,', localFolder: undefined, expected: ['built-in', 'hub', 'npm'] },
  { order: 'npm', localFolder: '/models', expected: ['built-in', 'local', 'npm'] },
  { order: 'npm,local', localFolder: '/models', expected: ['built-in', 'npm', 'local'] },
  { order: '', localFolder: undefined, expected: ['built-in'] },
]) {
  test(`the order “${order}” ${localFolder ? 'with' : 'without'} a folder gives ${expected.join(', ')}`, () => {
    const sources = createModelSources({ order, localFolder, env: {} });
    assert.deepEqual(
      sources.map((source) => source.kind),
      expected,
    );
  });
}

test('an unknown source is rejected with its name', () => {
  assert.throws(() => parseSourceOrder('npm,ftp'), {
    code: 'invalid_setting',
    message: /“ftp”.*local, npm, hub/,
  });
});

test('the local source without a folder is rejected', () => {
  assert.throws(() => createModelSources({ order: 'local', env: {} }), { code: 'invalid_setting' });
});
