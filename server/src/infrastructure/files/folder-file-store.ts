import { randomUUID } from 'node:crypto';
import { access, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createFolder } from '../../create-folder.ts';
import type { FileStore } from '../../domain/voices/file-store.ts';
import { assertFileName } from './file-name.ts';

/** Files in a folder that only the user of this server can read. */
export class FolderFileStore implements FileStore {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  async write(name: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
    const path = this.#pathOf(name);
    await createFolder(dirname(path), 0o700);
    const unfinished = `${path}.${randomUUID()}`;
    try {
      await writeFile(unfinished, content, { mode: 0o600, flush: true });
      await rename(unfinished, path);
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    try {
      return await readFile(this.#pathOf(name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  async locate(name: string): Promise<string | undefined> {
    const path = this.#pathOf(name);
    try {
      await access(path);
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  async remove(name: string): Promise<void> {
    await rm(this.#pathOf(name), { recursive: true, force: true });
  }

  async forget(): Promise<void> {}

  async forgetRemoved(): Promise<void> {}

  #pathOf(name: string): string {
    assertFileName(name);
    return join(this.#root, name);
  }
}
