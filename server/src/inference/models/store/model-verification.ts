import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Model } from '../catalogue/model.ts';
import { fileSha256, fileSizeBytes } from '../files/file-digest.ts';
import { findDamagedArtefacts } from './derived-artefact.ts';
import { readInstallRecord } from './install-record.ts';
import type { StoreLayout } from './store-layout.ts';

/** A fault of a file of a model. */
export interface FileProblem {
  readonly path: string;
  /** Such as `model.onnx is missing`. */
  readonly description: string;
  readonly isDamaged: boolean;
  /** Derived artefacts are made again on the next use. */
  readonly isDerived: boolean;
}

/** Compares the hash of every file of a model and of its derived artefacts. Changes nothing. */
export async function findFileProblems(layout: StoreLayout, model: Model): Promise<FileProblem[]> {
  const record = await readInstallRecord(layout, model.id);
  const recorded = new Map(record?.files.map((file) => [file.name, file.sha256]));
  const problems: FileProblem[] = [];
  for (const file of model.files) {
    const path = join(layout.modelFolder(model.id), file.name);
    const problem = await findProblem(path, file.sha256 ?? recorded.get(file.name));
    if (problem === undefined) continue;
    const { fault, isDamaged } = problem;
    problems.push({ path, description: `${file.name} ${fault}`, isDamaged, isDerived: false });
  }
  const derivedFolder = layout.derivedFolder(model.id);
  for (const name of await findDamagedArtefacts(derivedFolder)) {
    const description = `derived/${name} is damaged`;
    problems.push({ path: join(derivedFolder, name), description, isDamaged: true, isDerived: true });
  }
  return problems;
}

/**
 * Verifies every file of a model and returns descriptions of the problems. Deletes damaged files and, with a problem of
 * an installed file, the install record, so that the model counts as incomplete and can be repaired. The caller holds
 * the lock of the model.
 */
export async function verifyFiles(
  layout: StoreLayout,
  model: Model,
): Promise<{ readonly problems: string[]; readonly isIncomplete: boolean }> {
  const problems = await findFileProblems(layout, model);
  for (const { path, isDamaged } of problems) if (isDamaged) await rm(path, { force: true });
  const isIncomplete = problems.some(({ isDerived }) => !isDerived);
  if (isIncomplete) await rm(layout.recordPath(model.id), { force: true });
  return {
    problems: problems.map(({ description, isDamaged }) =>
      isDamaged ? `${description} and was deleted` : description,
    ),
    isIncomplete,
  };
}

async function findProblem(
  path: string,
  expected: string | undefined,
): Promise<{ readonly fault: string; readonly isDamaged: boolean } | undefined> {
  if ((await fileSizeBytes(path)) === undefined) return { fault: 'is missing', isDamaged: false };
  if (expected === undefined) return { fault: 'has no recorded hash', isDamaged: false };
  const sha256 = await fileSha256(path);
  if (sha256 === expected) return undefined;
  return { fault: `is damaged (expected ${expected}, got ${sha256})`, isDamaged: true };
}
