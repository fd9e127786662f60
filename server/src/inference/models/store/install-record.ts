import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Model } from '../catalogue/model.ts';
import { writeFileDurably } from '../files/durable-file.ts';
import { fileSizeBytes } from '../files/file-digest.ts';
import type { StoreLayout } from './store-layout.ts';

/** What a file was when it was installed. */
export interface RecordedFile {
  readonly name: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** Written as the last step of an installation. It says that the model is complete, and pins its files. */
export interface InstallRecord {
  readonly id: string;
  readonly installedAt: string;
  readonly files: readonly RecordedFile[];
}

function isRecordedFile(value: unknown): value is RecordedFile {
  const file = value as RecordedFile | null;
  return (
    typeof file === 'object' &&
    typeof file?.name === 'string' &&
    typeof file.sizeBytes === 'number' &&
    typeof file.sha256 === 'string'
  );
}

function parseRecord(text: string): InstallRecord | undefined {
  try {
    const record = JSON.parse(text) as InstallRecord | null;
    return Array.isArray(record?.files) && record.files.every(isRecordedFile) ? record : undefined;
  } catch {
    return undefined;
  }
}

/** The record of an installed model; `undefined` when there is none or it is not readable as one. */
export async function readInstallRecord(layout: StoreLayout, id: string): Promise<InstallRecord | undefined> {
  try {
    return parseRecord(await readFile(layout.recordPath(id), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Makes an installed model visible. */
export async function writeInstallRecord(layout: StoreLayout, record: InstallRecord): Promise<void> {
  await writeFileDurably(layout.recordPath(record.id), `${JSON.stringify(record, null, 2)}\n`);
}

/**
 * The record of a model that passes the quick check: the record is there, agrees with the catalogue (which
 * may have moved on since), and every file is there in its recorded size.
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
