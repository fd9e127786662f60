import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFolder } from '../../create-folder.ts';
import { isStorageFault, storageFault } from '../../errors.ts';

const CHECK_EVERY_MS = 10_000;
/** A full disk accepts an empty file. */
const PROBE = Buffer.alloc(4096);

/** Checks periodically whether folders can be written. */
export class FolderMonitor {
  readonly #folders: readonly string[];
  readonly #onChange: (problem: string | undefined) => void;
  readonly #timer: NodeJS.Timeout;
  #problem: string | undefined;

  /** Calls `onChange` with one sentence when a folder cannot be written, and with undefined when all can again. */
  constructor(folders: readonly string[], onChange: (problem: string | undefined) => void) {
    this.#folders = folders;
    this.#onChange = onChange;
    this.#timer = setInterval(() => void this.check(), CHECK_EVERY_MS).unref();
  }

  get isWritable(): boolean {
    return this.#problem === undefined;
  }

  async check(): Promise<void> {
    const problems = await Promise.all(this.#folders.map(findProblem));
    const problem = problems.find((found) => found !== undefined);
    const hasChanged = (problem === undefined) !== (this.#problem === undefined);
    this.#problem = problem;
    if (hasChanged) this.#onChange(problem);
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

async function findProblem(folder: string): Promise<string | undefined> {
  const path = join(folder, `.probe-${randomUUID()}`);
  try {
    await createFolder(folder, 0o700);
    await writeFile(path, PROBE, { mode: 0o600 });
    return undefined;
  } catch (error) {
    const reason = isStorageFault(error) ? storageFault(error) : (error as Error).message;
    return `The folder ${folder} cannot be written: ${reason}.`;
  } finally {
    await rm(path, { force: true }).catch(() => {});
  }
}
