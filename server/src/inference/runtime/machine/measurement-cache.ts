import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { createFolder } from '../../../create-folder.ts';
import { isMachineBusy } from './machine-load.ts';

const MEASUREMENT_FILE = /^machine-[0-9a-f]{16}\.json$/;

/** A measurement of this machine, cached in a file. Different machines may share the folder. */
export interface CachedMeasurement<Result> {
  readonly folder: string;
  /** Further values that the measurement depends on. */
  readonly conditions: readonly (string | number)[];
  readonly schema: z.ZodType<Result>;
}

const RecordSchema = z.object({ result: z.unknown(), wasBusy: z.boolean() });

/** The cached result for this machine; undefined when it has not been measured. */
export async function loadMeasurement<Result>(
  cached: CachedMeasurement<Result>,
): Promise<Result | undefined> {
  return read(pathOf(cached), cached.schema);
}

/** The cached result for this machine, or a new measurement. It is recorded whether the machine was busy. */
export async function loadOrMeasure<Result>(
  cached: CachedMeasurement<Result>,
  measure: () => Promise<Result>,
  isBusy: () => Promise<boolean> = isMachineBusy,
): Promise<Result> {
  const earlier = await loadMeasurement(cached);
  if (earlier !== undefined) return earlier;
  const wasBusy = await isBusy();
  const result = await measure();
  await write(pathOf(cached), { result, wasBusy });
  return result;
}

/** Cached measurements in a folder, of this and of other machines. */
export async function listMeasurements(
  folder: string,
): Promise<readonly { readonly path: string; readonly wasBusy: boolean }[]> {
  const names = await readdir(folder).catch(() => []);
  const paths = names.filter((name) => MEASUREMENT_FILE.test(name)).map((name) => join(folder, name));
  return Promise.all(
    paths.map(async (path) => ({ path, wasBusy: (await readRecord(path))?.wasBusy ?? false })),
  );
}

/** Removes the cached measurements; the next start measures again. Returns their number. */
export async function removeMeasurements(folder: string): Promise<number> {
  const measurements = await listMeasurements(folder);
  await Promise.all(measurements.map(({ path }) => rm(path, { force: true })));
  return measurements.length;
}

function pathOf({ folder, conditions }: CachedMeasurement<unknown>): string {
  return join(folder, `machine-${machineId(conditions)}.json`);
}

function machineId(conditions: readonly (string | number)[]): string {
  const facts = [process.arch, cpus()[0]?.model ?? '', availableParallelism(), ...conditions].join('|');
  return createHash('sha256').update(facts).digest('hex').slice(0, 16);
}

async function read<Result>(path: string, schema: z.ZodType<Result>): Promise<Result | undefined> {
  return schema.safeParse((await readRecord(path))?.result).data;
}

/** Undefined when the file is missing, damaged or of an earlier version: the machine is measured again. */
async function readRecord(path: string): Promise<z.infer<typeof RecordSchema> | undefined> {
  try {
    return RecordSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}

async function write(path: string, record: z.infer<typeof RecordSchema>): Promise<void> {
  await createFolder(dirname(path));
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, `${JSON.stringify(record)}\n`);
  await rename(temporary, path);
}
