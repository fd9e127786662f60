import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Model } from '../catalogue/model.ts';
import { writeFileDurably } from '../files/durable-file.ts';
import { fileSizeBytes } from '../files/file-digest.ts';
import type { StoreLayout } from './store-layout.ts';

const RecordedFileSchema = z.object({ name: z.string(), sizeBytes: z.number(), sha256: z.string() });
const InstallRecordSchema = z.object({
  id: z.string(),
  installedAt: z.string(),
  files: z.array(RecordedFileSchema),
});

/** A file at the time of its installation. */
export type RecordedFile = Readonly<z.output<typeof RecordedFileSchema>>;

/** Written as the last step of an installation. It marks the model as complete and pins its files. */
export type InstallRecord = Readonly<z.output<typeof InstallRecordSchema>>;

/** The record of an installed model; undefined when there is none or it is invalid. */
export async function readInstallRecord(layout: StoreLayout, id: string): Promise<InstallRecord | undefined> {
  try {
    return InstallRecordSchema.parse(JSON.parse(await readFile(layout.recordPath(id), 'utf8')));
  } catch {
    return undefined;
  }
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
