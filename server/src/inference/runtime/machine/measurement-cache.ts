import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import type { z } from 'zod';

/** A measurement of this machine, cached in a file. Different machines may share the folder. */
export interface CachedMeasurement<Result> {
  /** Prefix of the file name. */
  readonly name: string;
  readonly folder: string;
  /** Further values that the measurement depends on. */
  readonly conditions: readonly (string | number)[];
  readonly schema: z.ZodType<Result>;
}

/** The cached result for this machine, or a new measurement. */
export async function loadOrMeasure<Result>(
  cached: CachedMeasurement<Result>,
  measure: () => Promise<Result>,
): Promise<Result> {
  const path = join(cached.folder, `${cached.name}-${machineId(cached.conditions)}.json`);
  const earlier = await read(path, cached.schema);
  if (earlier !== undefined) return earlier;
  const result = await measure();
  await write(path, result);
  return result;
}

function machineId(conditions: readonly (string | number)[]): string {
  const facts = [process.arch, cpus()[0]?.model ?? '', availableParallelism(), ...conditions].join('|');
  return createHash('sha256').update(facts).digest('hex').slice(0, 16);
}

async function read<Result>(path: string, schema: z.ZodType<Result>): Promise<Result | undefined> {
  try {
    return schema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined; // Missing or damaged: measure again.
  }
}

async function write(path: string, result: unknown): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, `${JSON.stringify(result)}\n`);
  await rename(temporary, path);
}
