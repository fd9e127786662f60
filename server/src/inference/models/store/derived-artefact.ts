import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { moveIntoPlace } from '../files/durable-file.ts';
import { fileSizeBytes } from '../files/file-digest.ts';
import { ModelStoreError } from '../files/model-store-error.ts';

/** A file that is computed from a model. */
export interface DerivedArtefact {
  readonly folder: string;
  /** A plain file name, such as `front.onnx`. */
  readonly name: string;
  readonly version: string | number;
  /** Writes the artefact to the path it is given. */
  readonly make: (outPath: string) => Promise<void>;
  /** Runs work under the lock of the model. */
  readonly exclusively: (work: () => Promise<void>) => Promise<void>;
}

const SAFE_PART = /^[A-Za-z0-9_-][A-Za-z0-9_.-]*$/;

/**
 * Returns the path of the artefact, which is made once for all processes. Other versions are retained, since another
 * installation that shares the folder may use them.
 */
export async function deriveArtefact(artefact: DerivedArtefact): Promise<string> {
  const { folder, name, version, make, exclusively } = artefact;
  if (!SAFE_PART.test(name) || !SAFE_PART.test(String(version))) {
    throw new ModelStoreError(
      'invalid_setting',
      `“${name}”, version “${version}”, is not a valid name of a derived file.`,
    );
  }
  const { name: stem, ext } = parse(name);
  const finalPath = join(folder, `${stem}.v${version}${ext}`);
  if ((await fileSizeBytes(finalPath)) !== undefined) return finalPath;
  await exclusively(async () => {
    if ((await fileSizeBytes(finalPath)) !== undefined) return;
    await mkdir(folder, { recursive: true });
    await removeLeftovers(folder);
    const temporaryPath = join(folder, `.${stem}.${randomUUID()}.tmp${ext}`);
    try {
      await make(temporaryPath);
      await moveIntoPlace(temporaryPath, finalPath);
    } finally {
      await rm(temporaryPath, { force: true });
    }
  });
  return finalPath;
}

/** The lock is held, so hidden files belong to killed processes. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.startsWith('.')) await rm(join(folder, name), { force: true });
  }
}
