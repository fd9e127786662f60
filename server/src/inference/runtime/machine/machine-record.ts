import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import type { z } from 'zod';

/** Where what was measured about this machine is kept. Folders of models may be shared by machines that differ. */
export interface MachineRecord<Facts> {
  /** A plain word for what was measured. */
  readonly name: string;
  readonly folder: string;
  /** What else the measurement depends on. */
  readonly conditions: readonly (string | number)[];
  readonly schema: z.ZodType<Facts>;
}

/** What is known about this machine, measured when it is not. */
export async function recall<Facts>(
  record: MachineRecord<Facts>,
  measure: () => Promise<Facts>,
): Promise<Facts> {
  const path = join(record.folder, `${record.name}-${machineId(record.conditions)}.json`);
  const known = await read(path, record.schema);
  if (known !== undefined) return known;
  const facts = await measure();
  await write(path, facts);
  return facts;
}

function machineId(conditions: readonly (string | number)[]): string {
  const facts = [process.arch, cpus()[0]?.model ?? '', availableParallelism(), ...conditions].join('|');
  return createHash('sha256').update(facts).digest('hex').slice(0, 16);
}

async function read<Facts>(path: string, schema: z.ZodType<Facts>): Promise<Facts | undefined> {
  try {
    return schema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined; // Missing or damaged: measure again.
  }
}

async function write(path: string, facts: unknown): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, `${JSON.stringify(facts)}\n`);
  await rename(temporary, path);
}
