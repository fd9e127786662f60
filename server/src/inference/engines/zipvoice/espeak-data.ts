import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import createModule from '@echogarden/espeak-ng-emscripten';
import { deriveInFolder } from '../onnx/derive-in-folder.ts';

const PACKAGED = '/usr/share/espeak-ng-data';
/** Data files that espeak-ng needs for American English. */
const FILES = [
  'phontab',
  'phonindex',
  'phondata',
  'intonations',
  'en_dict',
  'lang/gmw/en',
  'lang/gmw/en-US',
] as const;

/** Writes the English part of espeak-ng's data to a folder, unless present: sherpa-onnx reads it from disk. */
export async function writeEspeakData(folder: string): Promise<void> {
  const derive = deriveInFolder(folder);
  let module: ReturnType<typeof createModule> | undefined;
  for (const name of FILES) {
    await derive(name, async (path) => {
      module ??= createModule();
      const { FS } = await module;
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(path, FS.readFile(`${PACKAGED}/${name}`));
    });
  }
}
