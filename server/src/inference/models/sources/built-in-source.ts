import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { knownBytes, type ModelSource } from './source.ts';

/** The source of the small files that are part of this program. Always the first source. */
export function createBuiltInSource(): ModelSource {
  return {
    kind: 'built-in',
    offers: (_model, file) => file.builtIn !== undefined,
    neededBytes: knownBytes,
    async fetch({ files, workFolder, deliver }) {
      await mkdir(workFolder, { recursive: true });
      for (const file of files) {
        const path = join(workFolder, 'content');
        await writeFile(path, file.builtIn?.() ?? '');
        await deliver(file, path);
      }
    },
  };
}
