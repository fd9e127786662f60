import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { EspeakFiles, EspeakNode } from '@echogarden/espeak-ng-emscripten';
import { loadFilesOnDemand } from './data-files.ts';

const FOLDER = '/usr/share/espeak-ng-data';
const FILE = 1;
const DIRECTORY = 2;

/** Files in memory, as Emscripten has them: all are views of one array. */
function filesOf(data: Uint8Array, sizes: Readonly<Record<string, number>>) {
  const nodes = new Map<string, EspeakNode>();
  let offset = 0;
  for (const [name, usedBytes] of Object.entries(sizes)) {
    nodes.set(`${FOLDER}/${name}`, {
      mode: FILE,
      usedBytes,
      contents: data.subarray(offset, offset + usedBytes),
    });
    offset += usedBytes;
  }
  const lang = { mode: DIRECTORY, usedBytes: 0, contents: new Uint8Array(0) };
  const opened: string[] = [];
  const files: EspeakFiles = {
    readFile: (path) => nodes.get(path)!.contents,
    readdir: (path) =>
      path === FOLDER ? ['.', '..', 'large_dict', 'other_dict', 'lang'] : ['.', '..', 'voice'],
    isDir: (mode) => mode === DIRECTORY,
    analyzePath: (path) => ({ object: path === `${FOLDER}/lang` ? lang : (nodes.get(path) ?? null) }),
    open: (path) => opened.push(path),
  };
  return { files, node: (name: string) => nodes.get(`${FOLDER}/${name}`)!, opened };
}

test('large files are released, and read from the data file when they are opened', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mynah-espeak-'));
  try {
    const data = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 7) % 251);
    const path = join(folder, 'data');
    await writeFile(path, data);
    const { files, node, opened } = filesOf(data, {
      large_dict: 100_000,
      'lang/voice': 500,
      other_dict: 150_000,
    });
    loadFilesOnDemand(files, path);
    assert.equal(node('large_dict').contents.length, 0);
    assert.equal(node('other_dict').contents.length, 0);
    assert.deepEqual(node('lang/voice').contents, data.slice(100_000, 100_500));
    assert.notEqual(node('lang/voice').contents.buffer, data.buffer);

    files.open(`${FOLDER}/other_dict`, 0, 0);
    assert.deepEqual(node('other_dict').contents, data.slice(100_500, 250_500));
    assert.equal(node('large_dict').contents.length, 0);
    files.open(`${FOLDER}/missing`);
    assert.deepEqual(opened, [`${FOLDER}/other_dict`, `${FOLDER}/missing`]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
