import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Model } from '../catalogue/model.ts';
import { writeFileDurably } from '../files/durable-file.ts';
import { fileSizeBytes } from '../files/file-digest.ts';
import type { StoreLayout } from './store-layout.ts';

/** A file at the time of its installation. */
export interface RecordedFile {
  readonly name: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** Written as the last step of an installation. It marks the model as complete and pins its files. */
export interface InstallRecord {
  readonly id: string;
  readonly installedAt: string;
  readonly files: readonly RecordedFile[];
}

/** The record of an installed model; undefined when there is none or it is invalid. */
export async function readInstallRecord(layout: StoreLayout, id: string): Promise<InstallRecord | undefined> {
  try {
    const record: unknown = JSON.parse(await readFile(layout.recordPath(id), 'utf8'));
    return isInstallRecord(record) ? record : undefined;
  } catch {
    return undefined;
  }
}

/** Without a schema library: worker processes, which read nothing else, would load it for this alone. */
function isInstallRecord(value: unknown): value is InstallRecord {
  const { id, installedAt, files } = (value ?? {}) as Partial<Record<keyof InstallRecord, unknown>>;
  const isNamed = typeof id === 'string' && typeof installedAt === 'string';
  return isNamed && Array.isArray(files) && files.every(isRecordedFile);
}

function isRecordedFile(value: unknown): value is RecordedFile {
  const { name, sizeBytes, sha256 } = (value ?? {}) as Partial<Record<keyof RecordedFile, unknown>>;
  return typeof name === 'string' && typeof sizeBytes === 'number' && typeof sha256 === 'string';
}

/** Marks a model as installed. */
export async function writeInstallRecord(layout: StoreLayout, record: InstallRecord): Promise<void> {
  await writeFileDurably(layout.recordPath(record.id), `${JSON.stringify(record, null, 2)}\n`);
}

/**
 * The record of a model that passes the quick check: the record exists and agrees with the catalogue, which may be
 * newer, and every file has its recorded size.
 */
export async function readValidRecord(layout: StoreLayout, model: Model): Promise<InstallRecord | undefined> {
  const record = await readInstallRecord(layout, model.id);
  if (record === undefined) return undefined;
  const recorded = new Map(record.files.map((file) => [file.name, file]));
  for (const file of model.files) {
    const entry = recorded.get(file.name);
    if (entry === undefined) return undefined;
    if (file.sha256 !== undefined && file.sha256 !== entry.sha256) return undefined;
    const sizeBytes = await fileSizeBytes(join(layout.modelFolder(model.id), file.name));
    if (sizeBytes !== entry.sizeBytes) return undefined;
  }
  return record;
}
