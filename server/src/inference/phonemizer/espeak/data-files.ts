import { closeSync, openSync, readSync } from 'node:fs';
import type { EspeakFiles, EspeakNode } from '@echogarden/espeak-ng-emscripten';

const FOLDER = '/usr/share/espeak-ng-data';
/** Smaller files stay in memory: descriptions of voices. */
const KEPT_BYTES_MAX = 2 ** 16;

/**
 * Releases the memory of espeak-ng's data files (24 MB, the dictionaries of all languages) and reads each of them from
 * `dataPath`, the file that they were loaded from, when espeak-ng opens it.
 */
export function loadFilesOnDemand(files: EspeakFiles, dataPath: string): void {
  /** Files that are not in memory, and where they are in the data file. */
  const offsets = new Map<EspeakNode, number>();
  for (const node of nodesIn(files, FOLDER)) {
    if (node.usedBytes > KEPT_BYTES_MAX) {
      offsets.set(node, node.contents.byteOffset);
      node.contents = new Uint8Array(0);
    } else {
      // A copy: a view would keep all of the data.
      node.contents = node.contents.slice();
    }
  }
  const { open } = files;
  files.open = (path, ...mode) => {
    const { object: node } = files.analyzePath(path);
    const offset = node ? offsets.get(node) : undefined;
    if (node && offset !== undefined) {
      node.contents = readPart(dataPath, offset, node.usedBytes);
      offsets.delete(node);
    }
    return open.call(files, path, ...mode);
  };
}

function nodesIn(files: EspeakFiles, folder: string): EspeakNode[] {
  const names = files.readdir(folder).filter((name) => name !== '.' && name !== '..');
  return names.flatMap((name) => {
    const path = `${folder}/${name}`;
    const node = files.analyzePath(path).object;
    if (!node) return [];
    return files.isDir(node.mode) ? nodesIn(files, path) : [node];
  });
}

function readPart(path: string, offset: number, length: number): Uint8Array {
  const part = new Uint8Array(length);
  const file = openSync(path, 'r');
  try {
    for (let done = 0; done < length; ) {
      const count = readSync(file, part, done, length - done, offset + done);
      if (count === 0) throw new Error(`${path} is shorter than when it was loaded.`);
      done += count;
    }
  } finally {
    closeSync(file);
  }
  return part;
}
