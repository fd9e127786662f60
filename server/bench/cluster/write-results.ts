import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeMachine } from '../machine.ts';

const FOLDER = fileURLToPath(new URL('../../../../.cache/bench/', import.meta.url));

/** Writes results as JSON, with the machine and the time. */
export async function writeResults(file: string | undefined, results: unknown): Promise<void> {
  const path = resolve(file ?? `${FOLDER}cluster.json`);
  await mkdir(dirname(path), { recursive: true });
  const report = { machine: describeMachine(), at: new Date().toISOString(), results };
  await writeFile(path, `${JSON.stringify(report, undefined, 2)}\n`);
}
