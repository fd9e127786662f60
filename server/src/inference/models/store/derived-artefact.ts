import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { moveIntoPlace, writeFileDurably } from '../files/durable-file.ts';
import { fileSha256, fileSizeBytes } from '../files/file-digest.ts';
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

/** The file beside an artefact with its SHA-256 in hex, written before the artefact is in place. */
const DIGEST_SUFFIX = '.sha256';
const SAFE_PART = /^[A-Za-z0-9_-][A-Za-z0-9_.-]*$/;

/**
 * Returns the path of the artefact, which is made once for all processes, and again when it is damaged. Other versions
 * are retained, since another installation that shares the folder may use them.
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
  if ((await artefactState(finalPath)) === 'valid') return finalPath;
  await exclusively(async () => {
    if ((await artefactState(finalPath)) === 'valid') return;
    await mkdir(folder, { recursive: true });
    await removeLeftovers(folder);
    const temporaryPath = join(folder, `.${stem}.${randomUUID()}.tmp${ext}`);
    try {
      await make(temporaryPath);
      await writeFileDurably(finalPath + DIGEST_SUFFIX, `${await fileSha256(temporaryPath)}\n`);
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

/** `unknown`: made by an earlier version, which stored no hash. */
type ArtefactState = 'valid' | 'damaged' | 'unknown' | 'missing';

async function artefactState(path: string): Promise<ArtefactState> {
  if ((await fileSizeBytes(path)) === undefined) return 'missing';
  const expected = await readFile(path + DIGEST_SUFFIX, 'utf8').catch(() => undefined);
  if (expected === undefined) return 'unknown';
  return (await fileSha256(path)) === expected.trim() ? 'valid' : 'damaged';
}

/** The names of the damaged artefacts in a folder. */
export async function findDamagedArtefacts(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const damaged: string[] = [];
  for (const name of names) {
    if (name.startsWith('.') || name.endsWith(DIGEST_SUFFIX)) continue;
    if ((await artefactState(join(folder, name))) === 'damaged') damaged.push(name);
  }
  return damaged;
}
