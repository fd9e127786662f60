import { readFile } from 'node:fs/promises';
import type { ModelFile } from '../../../src/inference/models/catalogue/model.ts';
import type { ModelSource } from '../../../src/inference/models/sources/source.ts';
import { makeModel } from './test-catalogue.ts';

/** Fetches a file. With `abortOnData` the download is aborted when data has been received. */
export async function fetchFromSource(
  source: ModelSource,
  {
    file,
    workFolder,
    abortOnData = false,
  }: { readonly file: ModelFile; readonly workFolder: string; readonly abortOnData?: boolean },
) {
  const controller = new AbortController();
  const delivered: Buffer[] = [];
  const progress: (readonly [number, number | undefined])[] = [];
  await source.fetch({
    model: makeModel('m', [file]),
    files: [file],
    workFolder,
    signal: controller.signal,
    deliver: async (_file, path) => void delivered.push(await readFile(path)),
    onProgress: (done, total) => {
      progress.push([done, total]);
      if (abortOnData && done > 0) controller.abort();
    },
  });
  return { delivered, progress };
}
