import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Model } from '../catalogue/model.ts';
import { digestFile, fileSizeBytes } from '../files/file-digest.ts';
import { readInstallRecord } from './install-record.ts';
import type { StoreLayout } from './store-layout.ts';

/**
 * Verifies every file of a model and returns descriptions of the problems. Deletes damaged files and, with any
 * problem, the install record, so that the model counts as incomplete and can be repaired. The caller holds the lock
 * of the model.
 */
export async function verifyFiles(layout: StoreLayout, model: Model): Promise<string[]> {
  const record = await readInstallRecord(layout, model.id);
  const recorded = new Map(record?.files.map((file) => [file.name, file.sha256]));
  const problems: string[] = [];
  for (const file of model.files) {
    const path = join(layout.modelFolder(model.id), file.name);
    const problem = await findProblem(path, file.sha256 ?? recorded.get(file.name));
    if (problem !== undefined) problems.push(`${file.name} ${problem}`);
  }
  if (problems.length > 0) await rm(layout.recordPath(model.id), { force: true });
  return problems;
}

async function findProblem(path: string, expected: string | undefined): Promise<string | undefined> {
  if ((await fileSizeBytes(path)) === undefined) return 'is missing';
  if (expected === undefined) return 'has no recorded hash';
  const { sha256 } = await digestFile(path);
  if (sha256 === expected) return undefined;
  await rm(path, { force: true });
  return `is damaged (expected ${expected}, got ${sha256}) and was deleted`;
}
