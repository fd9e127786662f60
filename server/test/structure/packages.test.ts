import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PACKAGE_ROOT } from '../../src/config/package-info.ts';

const REPOSITORY = fileURLToPath(new URL('..', PACKAGE_ROOT));
const root = mkdtempSync(join(tmpdir(), 'mynah-packages-'));
after(() => rmSync(root, { recursive: true }));

test('npm pack of the TypeScript library in a fresh checkout has its code', () => {
  const library = join(root, 'sdk/typescript');
  for (const name of [
    'src',
    'cjs/package.json',
    'package.json',
    'tsconfig.json',
    'tsconfig.cjs.json',
    'README.md',
  ]) {
    cpSync(join(REPOSITORY, 'sdk/typescript', name), join(library, name), { recursive: true });
  }
  cpSync(join(REPOSITORY, 'tsconfig.base.json'), join(root, 'tsconfig.base.json'));
  symlinkSync(join(REPOSITORY, 'node_modules'), join(root, 'node_modules'));
  const output = execFileSync('npm', ['pack', '--json', '--loglevel=error'], {
    cwd: library,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    // Under `npm test`, variables of npm name the package of the repository.
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))),
  });
  // The scripts of the package may print before npm does.
  const [{ files }] = JSON.parse(output.slice(output.indexOf('[\n'))) as [{ files: { path: string }[] }];
  const names = files.map(({ path }) => path);
  for (const name of ['dist/index.js', 'dist/index.d.ts', 'cjs/index.js', 'cjs/package.json', 'README.md']) {
    assert.ok(names.includes(name), name);
  }
  assert.deepEqual(
    names.filter((name) => name.includes('.test.')),
    [],
  );
});

test('the library inside the package of the server has no dependencies, which npm would not install', async () => {
  const module = new URL('../scripts/package.mjs', PACKAGE_ROOT).href;
  const { withoutPeers } = (await import(module)) as { withoutPeers(facts: object): object };
  const facts = JSON.parse(readFileSync(join(REPOSITORY, 'sdk/typescript/package.json'), 'utf8')) as object;
  const kinds = Object.keys(withoutPeers(facts)).filter((name) =>
    /^(peer|optional)?dependencies/i.test(name),
  );
  assert.deepEqual(kinds, []);
});

test('binaries of other platforms are removed, and none where that of this platform is missing', async () => {
  const module = new URL('../scripts/prune-binaries.mjs', PACKAGE_ROOT).href;
  const { pruneBinaries } = (await import(module)) as { pruneBinaries(folder: string): void };
  const binaries = (folder: string) => join(root, folder, 'node_modules/onnxruntime-node/bin/napi-v9');
  const own = join(process.platform, process.arch);
  const create = (folder: string, platforms: readonly string[]) => {
    for (const platform of platforms) {
      mkdirSync(join(binaries(folder), platform), { recursive: true });
      writeFileSync(join(binaries(folder), platform, 'onnxruntime_binding.node'), '');
    }
  };
  create('pruned', [own, join(process.platform, 'other'), 'other/arm64']);
  pruneBinaries(join(root, 'pruned'));
  assert.ok(existsSync(join(binaries('pruned'), own)));
  assert.ok(!existsSync(join(binaries('pruned'), process.platform, 'other')));
  assert.ok(!existsSync(join(binaries('pruned'), 'other')));

  create('unknown', ['other/arm64']);
  pruneBinaries(join(root, 'unknown'));
  assert.ok(existsSync(join(binaries('unknown'), 'other/arm64')));
  pruneBinaries(join(root, 'nothing'));
});
