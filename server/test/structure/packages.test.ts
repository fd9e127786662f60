import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
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

test('every package that the bundle of the server imports is a dependency of the server’s package', async () => {
  const module = new URL('../scripts/bundle.mjs', PACKAGE_ROOT).href;
  const { UNBUNDLED_PACKAGES } = (await import(module)) as { UNBUNDLED_PACKAGES: readonly string[] };
  const facts = JSON.parse(readFileSync(new URL('package.json', PACKAGE_ROOT), 'utf8')) as {
    dependencies: object;
    optionalDependencies: object;
  };
  const dependencies = Object.keys({ ...facts.dependencies, ...facts.optionalDependencies });
  assert.deepEqual(
    UNBUNDLED_PACKAGES.filter((name) => !dependencies.includes(name)),
    [],
  );
  const packages = staticallyImportedPackages();
  assert.ok(packages.length > 0);
  assert.deepEqual(
    [...new Set(packages)].filter((name) => !UNBUNDLED_PACKAGES.includes(name)),
    [],
  );
});

test('codecs with large binaries are loaded with their first use', () => {
  const packages = staticallyImportedPackages();
  for (const name of ['libopus-wasm', 'libflacjs', 'mpg123-decoder'])
    assert.ok(!packages.includes(name), name);
});

test('metrics load without OpenTelemetry, which only tracing needs', () => {
  const folder = new URL('dist/bundle/', PACKAGE_ROOT);
  const [file, ...more] = readdirSync(folder).filter((name) => /^metrics-registry-\w+\.js$/.test(name));
  assert.ok(file !== undefined && more.length === 0);
  assert.doesNotMatch(readFileSync(new URL(file, folder), 'utf8'), /@opentelemetry/);
});

test('the bundle of the server carries the licences of the packages in it', () => {
  const licences = readFileSync(new URL('dist/bundle/THIRD-PARTY-LICENSES.txt', PACKAGE_ROOT), 'utf8');
  for (const name of ['fastify', 'kysely', 'zod', 'pg'])
    assert.match(licences, new RegExp(`^${name} \\d`, 'm'));
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

/** Packages that files of the server's bundle import when they are loaded. */
function staticallyImportedPackages(): string[] {
  const folder = new URL('dist/bundle/', PACKAGE_ROOT);
  return readdirSync(folder)
    .filter((file) => file.endsWith('.js'))
    .flatMap((file) => [
      ...readFileSync(new URL(file, folder), 'utf8').matchAll(
        /(?:^|;)(?:import|export)\s*(?:[\w\s$*,{}]+from\s*)?["']([^"'\s]+)["'](?=;|$)/gm,
      ),
    ])
    .map(([, specifier = '']) => specifier)
    .filter((specifier) => !specifier.startsWith('.') && !isBuiltin(specifier))
    .map((specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier);
}

test('the bundle unmasks WebSocket messages of any length and alignment', async () => {
  const module = new URL('../scripts/bundle.mjs', PACKAGE_ROOT).href;
  const { unmaskWords } = (await import(module)) as { unmaskWords(buffer: Buffer, mask: Buffer): boolean };
  const mask = Buffer.of(1, 200, 3, 77);
  for (let length = 60; length < 80; length++) {
    for (let offset = 0; offset < 8; offset++) {
      const original = Buffer.alloc(length).map((_, index) => index * 31);
      const masked = Buffer.from(new ArrayBuffer(100), offset, length);
      for (const [index, byte] of original.entries()) masked[index] = byte ^ mask[index % 4]!;
      if (unmaskWords(masked, mask)) assert.deepEqual([...masked], [...original]);
      else assert.ok(length < 64);
    }
  }
});
