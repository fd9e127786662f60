import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeMachine } from '../machine.ts';

const FOLDER = fileURLToPath(new URL('../../../../.cache/bench/', import.meta.url));

/** The file of the results of a part, unless another one is given. */
export function resultsFile(part: string, given: string | undefined): string {
  return resolve(given ?? `${FOLDER}cluster-${part}.json`);
}

/** Writes results as JSON, with the machine and the time. */
export async function writeResults(path: string, results: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const report = { machine: describeMachine(), at: new Date().toISOString(), results };
  await writeFile(path, `${JSON.stringify(report, undefined, 2)}\n`);
}

/** The results of an earlier run. Undefined when there are none. */
export async function readResults(path: string): Promise<unknown> {
  const file = await readFile(path, 'utf8').catch(() => undefined);
  return file === undefined ? undefined : (JSON.parse(file) as { readonly results: unknown }).results;
}
