import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  identifyThisProcess,
  type ProcessIdentity,
  probeProcess,
} from '../../concurrency/process-identity.ts';
import type { Upload, UploadSpace } from '../../domain/transcription/upload-space.ts';

const KEPT = 'kept';

/**
 * Uploads in a folder. Each process writes into a folder named after itself, so that the next one can tell what
 * a crash left behind from what another server is still reading.
 */
export class UploadFolder implements UploadSpace {
  readonly #root: string;
  readonly #own: string;

  private constructor(root: string, own: string) {
    this.#root = root;
    this.#own = own;
  }

  /** Makes the folder, and removes what dead processes left in it. */
  static async open(root: string): Promise<UploadFolder> {
    const identity = await identifyThisProcess();
    const own = join(root, folderNameOf(identity));
    await mkdir(join(root, KEPT), { recursive: true, mode: 0o700 });
    for (const name of await readdir(root)) {
      const owner = ownerOf(name);
      if (owner !== undefined && (await probeProcess(owner)) === 'dead') {
        await rm(join(root, name), { recursive: true, force: true });
      }
    }
    await mkdir(own, { recursive: true, mode: 0o700 });
    return new UploadFolder(root, own);
  }

  async create(): Promise<Upload> {
    const path = join(this.#own, randomUUID());
    return {
      path,
      keep: (name) => rename(path, this.pathOf(name)),
      remove: () => rm(path, { force: true }),
    };
  }

  pathOf(name: string): string {
    return join(this.#root, KEPT, name);
  }

  discard(name: string): Promise<void> {
    return rm(this.pathOf(name), { force: true });
  }

  async kept(): Promise<readonly { readonly name: string; readonly keptAtMs: number }[]> {
    const names = await readdir(join(this.#root, KEPT));
    const found = await Promise.all(
      names.map(async (name) => {
        const facts = await stat(this.pathOf(name)).catch(() => undefined);
        return facts && { name, keptAtMs: facts.ctimeMs };
      }),
    );
    return found.filter((entry) => entry !== undefined);
  }

  /** Removes what this process has not kept. */
  async close(): Promise<void> {
    await rm(this.#own, { recursive: true, force: true });
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
