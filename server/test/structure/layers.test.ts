import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const PLANTED = 'planted-import.ts';

interface Layer {
  readonly name: string;
  readonly mayImport: readonly string[];
}

interface Violation {
  readonly type: string;
  readonly from: string;
  readonly to: string;
  readonly rule: { readonly name: string };
}

let copy: string;
let layers: readonly Layer[];

before(async () => {
  ({ LAYERS: layers } = await import(`file://${join(ROOT, 'scripts/layers.mjs')}`));
  copy = await mkdtemp(join(tmpdir(), 'mynah-layers-'));
  for (const path of ['server/src', 'scripts/layers.mjs', '.dependency-cruiser.mjs', 'package.json']) {
    await cp(join(ROOT, path), join(copy, path), { recursive: true });
  }
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
});

after(() => rm(copy, { recursive: true }));

test('the tree has no import that the table of layers forbids, and no cycle', () => {
  assert.deepEqual(violations('server/src'), []);
});

test('a wrong import is reported in every folder', async () => {
  const source = join(copy, 'server/src');
  const folders = (await readdir(source, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((folder) => layerOf(relative(source, folder)) !== undefined);
  for (const folder of folders) {
    const layer = layerOf(relative(source, folder));
    const target = layers.find(({ name }) => name !== layer?.name && !layer?.mayImport.includes(name));
    assert.ok(layer && target, `${folder} may import everything`);
    const file = target.name.endsWith('.ts')
      ? join(source, target.name)
      : await firstFile(join(source, target.name));
    await writeFile(join(folder, PLANTED), `import '${relative(folder, file).replace(/^(?!\\.)/, './')}';\n`);
  }
  const planted = folders.map((folder) => relative(copy, join(folder, PLANTED)));
  // The planted files and what they import, without the rest of the tree.
  const found = violations('--max-depth', '1', ...planted).filter(({ rule }) =>
    rule.name.startsWith('layer: '),
  );
  const reported = new Set(found.map(({ from }) => from));
  const missed = planted.filter((path) => !reported.has(path));
  assert.ok(folders.length > 50);
  assert.deepEqual(missed, []);
});

function layerOf(folder: string): Layer | undefined {
  return layers.find(({ name }) => folder === name || folder.startsWith(`${name}/`));
}

/** A file of a folder whose name no other folder's planted file has. */
async function firstFile(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const file = entries.find(
    ({ name }) => name.endsWith('.ts') && !name.endsWith('test.ts') && name !== PLANTED,
  );
  assert.ok(file, `${folder} has no source file`);
  return join(file.parentPath, file.name);
}

function violations(...args: readonly string[]): readonly Violation[] {
  const depcruise = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [depcruise, '--config', '.dependency-cruiser.mjs', '--output-type', 'json', ...args],
    { cwd: copy, encoding: 'utf8', maxBuffer: 2 ** 28 },
  );
  assert.ok(stdout.startsWith('{'), stderr);
  return JSON.parse(stdout).summary.violations;
}
