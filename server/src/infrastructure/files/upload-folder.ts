import { randomUUID } from 'node:crypto';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  identifyThisProcess,
  type ProcessIdentity,
  probeProcess,
} from '../../concurrency/process-identity.ts';
import { createFolder } from '../../create-folder.ts';
import type { LocalRecording, Upload, UploadStore } from '../../domain/transcription/upload-store.ts';

/** Subfolder of stored uploads. The name is that of earlier versions. */
const STORED = 'kept';

/**
 * Uploads in a folder. Each process writes into its own subfolder, named after the process, so that the files of a
 * crashed process can be distinguished from those of a running one.
 */
export class UploadFolder implements UploadStore {
  readonly #root: string;
  readonly #own: string;

  private constructor(root: string, own: string) {
    this.#root = root;
    this.#own = own;
  }

  /** Deletes a stored recording without opening the folder; a missing one is not an error. */
  static discardStored(root: string, name: string): Promise<void> {
    return rm(join(root, STORED, name), { force: true });
  }

  /** Creates the folder and removes the files of processes that have ended. */
  static async open(root: string): Promise<UploadFolder> {
    const identity = await identifyThisProcess();
    const own = join(root, folderNameOf(identity));
    await createFolder(join(root, STORED), 0o700);
    for (const name of await readdir(root)) {
      const owner = ownerOf(name);
      if (owner !== undefined && (await probeProcess(owner)) === 'dead') {
        await rm(join(root, name), { recursive: true, force: true });
      }
    }
    await createFolder(own, 0o700);
    return new UploadFolder(root, own);
  }

  async create(): Promise<Upload> {
    const path = join(this.#own, randomUUID());
    return {
      path,
      store: (name) => rename(path, this.#pathOf(name)),
      remove: () => rm(path, { force: true }),
    };
  }

  async openLocal(name: string): Promise<LocalRecording> {
    return { path: this.#pathOf(name), release: async () => {} };
  }

  discard(name: string): Promise<void> {
    return rm(this.#pathOf(name), { force: true });
  }

  async listStored(): Promise<readonly { readonly name: string; readonly storedAtMs: number }[]> {
    const names = await readdir(join(this.#root, STORED));
    const found = await Promise.all(
      names.map(async (name) => {
        const facts = await stat(this.#pathOf(name)).catch(() => undefined);
        return facts && { name, storedAtMs: facts.ctimeMs };
      }),
    );
    return found.filter((entry) => entry !== undefined);
  }

  /** Removes the files of this process that were not stored. */
  async close(): Promise<void> {
    await rm(this.#own, { recursive: true, force: true });
  }

  #pathOf(name: string): string {
    return join(this.#root, STORED, name);
  }
}

function folderNameOf({ pid, startedAt, scope }: ProcessIdentity): string {
  return `process.${pid}.${startedAt}.${Buffer.from(scope).toString('base64url')}`;
}

function ownerOf(name: string): ProcessIdentity | undefined {
  const [, pid, startedAt = '', scope = ''] = /^process\.(\d+)\.(\d*)\.([\w-]+)$/.exec(name) ?? [];
  if (pid === undefined) return undefined;
  return { pid: Number(pid), startedAt, scope: Buffer.from(scope, 'base64url').toString() };
}
