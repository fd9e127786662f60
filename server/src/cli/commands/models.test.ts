import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeTemporaryFolder } from '../../../test/support/models/temporary-folder.ts';
import { makeCatalogue, makeModel, pinnedFile } from '../../../test/support/models/test-catalogue.ts';
import { createBuiltInSource } from '../../inference/models/sources/built-in-source.ts';
import { createModelStore } from '../../inference/models/store/model-store.ts';
import { runModelsCommand } from './models.ts';

const small = (id: string, isDefault = false) =>
  makeModel(id, [pinnedFile('f.txt', Buffer.from(id), { builtIn: () => id })], isDefault);

async function setUp(t: TestContext) {
  const root = await makeTemporaryFolder(t);
  const store = createModelStore({
    root,
    sources: [createBuiltInSource()],
    catalogue: makeCatalogue(
      small('one', true),
      small('two'),
      makeModel('far', [pinnedFile('x', Buffer.from('x'))]),
    ),
  });
  return {
    root,
    store,
    async run(...args: string[]) {
      let stdout = '';
      let stderr = '';
      const exitCode = await runModelsCommand(args, {
        store,
        stdout: { write: (text) => (stdout += text) },
        stderr: { write: (text) => (stderr += text) },
      });
      return { exitCode, stdout, stderr };
    },
  };
}

test('list prints every model with its state, as a table and as JSON', async (t) => {
  const { run, root } = await setUp(t);
  await run('pull');
  const { exitCode, stdout } = await run('list');
  assert.equal(exitCode, 0);
  assert.match(stdout, /^ID .*\none +installed, default +3 B +MIT +Model one\ntwo +absent /);
  const listed = JSON.parse((await run('list', '--json')).stdout);
  assert.deepEqual(listed[1], {
    id: 'two',
    title: 'Model two',
    task: 'tts',
    languages: [],
    licence: 'MIT',
    default: false,
    state: 'absent',
    size_bytes: 3,
    folder: join(root, 'two'),
    installed_at: null,
  });
});

test('pull fetches the default models, or those with the given ids', async (t) => {
  const { run, root } = await setUp(t);
  assert.equal((await run('pull')).stdout, `one  ${join(root, 'one')}\n`);
  const { exitCode, stdout, stderr } = await run('pull', 'two', 'one');
  assert.equal(exitCode, 0);
  assert.equal(stdout, `two  ${join(root, 'two')}\none  ${join(root, 'one')}\n`);
  assert.equal(stderr, 'two  installed\n');
});

test('rm reports which models were installed', async (t) => {
  const { run } = await setUp(t);
  await run('pull', 'one');
  assert.deepEqual(await run('rm', 'one', 'two'), {
    exitCode: 0,
    stdout: 'one  removed\ntwo  was not installed\n',
    stderr: '',
  });
});

test('verify fails for a damaged file and prints the fix', async (t) => {
  const { run, root } = await setUp(t);
  await run('pull', 'one', 'two');
  assert.deepEqual(await run('verify'), { exitCode: 0, stdout: 'one  ok\ntwo  ok\n', stderr: '' });
  await writeFile(join(root, 'two', 'f.txt'), 'owt');
  const { exitCode, stderr } = await run('verify', 'two');
  assert.equal(exitCode, 1);
  assert.match(stderr, /^two {2}f\.txt is damaged .*; run “mynah models pull two” to fetch it again\.\n$/);
  await run('pull', 'two');
  assert.equal((await run('verify', 'two')).exitCode, 0);
});

test('import installs from a path', async (t) => {
  const { run, root } = await setUp(t);
  const inbox = await makeTemporaryFolder(t);
  await writeFile(join(inbox, 'x'), 'x');
  const { exitCode, stdout } = await run('import', inbox, '--id', 'far');
  assert.equal(exitCode, 0);
  assert.equal(stdout, `far  ${join(root, 'far')}\n`);
});

for (const args of [['--help'], ['pull', '--help'], ['help'], ['list', '-h']]) {
  test(`“${args.join(' ')}” prints the help`, async (t) => {
    const { run } = await setUp(t);
    const { exitCode, stdout } = await run(...args);
    assert.equal(exitCode, 0);
    assert.match(stdout, /^Usage: mynah models/);
  });
}

for (const args of [
  [],
  ['fetch'],
  ['constructor'],
  ['rm'],
  ['import'],
  ['import', 'a', 'b'],
  ['list', 'one'],
  ['pull', '--yes'],
]) {
  test(`“${args.join(' ')}” is wrong usage`, async (t) => {
    const { run } = await setUp(t);
    const { exitCode, stderr } = await run(...args);
    assert.equal(exitCode, 2);
    assert.match(stderr, /\n\nUsage: mynah models/);
  });
}

for (const { args, message } of [
  { args: ['pull', 'nonsense'], message: /^There is no model “nonsense”/ },
  { args: ['pull', 'far'], message: /^No configured source \(none\) has x of far/ },
  { args: ['verify', 'one'], message: /^one is not installed/ },
  { args: ['import', '/nonexistent'], message: /does not exist/ },
]) {
  test(`“${args.join(' ')}” fails with one sentence`, async (t) => {
    const { run } = await setUp(t);
    const { exitCode, stdout, stderr } = await run(...args);
    assert.equal(exitCode, 1);
    assert.equal(stdout, '');
    assert.match(stderr, message);
    assert.equal(stderr.trimEnd().split('\n').length, 1);
  });
}

test('an interrupted pull ends with exit code 130', async (t) => {
  const { store } = await setUp(t);
  const output = { write: () => {} };
  const signal = AbortSignal.abort();
  assert.equal(await runModelsCommand(['pull'], { store, stdout: output, stderr: output, signal }), 130);
});
